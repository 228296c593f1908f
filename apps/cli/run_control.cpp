#include "run_control.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace trammel::cli {
namespace {

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int) { interrupted.store(true); }

bool is_terminal() { return isatty(STDERR_FILENO) != 0; }

void print_progress(const integrators::Progress& p) {
  const bool terminal = is_terminal();
  fmt::print(stderr, "{}t = {:.6g} of {:.6g} s, {} steps, h = {:.3g} s, {:.0f} s elapsed{}", terminal ? "\r" : "", p.t,
             p.t_end, p.steps, p.h, p.seconds, terminal ? "   " : "\n");
}

}  // namespace

std::atomic<bool>& interruption() { return interrupted; }

void catch_interrupts() { std::signal(SIGINT, on_interrupt); }

ProgressLine::ProgressLine(integrators::Observers& observers, bool quiet) {
  if (quiet) return;
  observers.progress_interval = 1;
  observers.progress = [this](const integrators::Progress& p) {
    was_shown_ = true;
    print_progress(p);
  };
}

void ProgressLine::end() {
  if (was_shown_ && is_terminal()) fmt::print(stderr, "\n");
}

}  // namespace trammel::cli
