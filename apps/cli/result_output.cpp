#include "result_output.h"

#include <fmt/format.h>

#include <array>

#include "commands.h"
#include "run_control.h"
#include "run_summary.h"
#include "trammel/io/state_columns.h"

namespace trammel::cli {

ResultRows::ResultRows(const Problem& problem) : structure_(problem.given.system->structure()) {
  if (problem.given.mechanism) mechanism_ = std::make_unique<io::MechanismColumns>(*problem.given.mechanism);
}

std::vector<io::Column> ResultRows::columns() const {
  return mechanism_ ? mechanism_->columns() : io::state_columns(structure_);
}

const std::vector<double>& ResultRows::list(const dae::State& state) {
  if (mechanism_) return mechanism_->list(state);
  io::list_state(state, values_);
  return values_;
}

namespace {

std::unique_ptr<io::ResultWriter> create_writer(const std::string& path, const Problem& problem, const ResultRows& rows,
                                                io::ResultHeader header) {
  header.model = problem.name;
  header.version = TRAMMEL_VERSION;
  header.created = io::time_now();
  header.parameters = problem.parameters;
  if (problem.model) header.source = problem.model->source;
  header.columns = rows.columns();
  try {
    return io::create_result_writer(path, header);
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
}

}  // namespace

ResultOutput::ResultOutput(const std::optional<std::string>& path, const Problem& problem, io::ResultHeader header)
    : problem_(problem), rows_(problem) {
  if (path) writer_ = create_writer(*path, problem, rows_, std::move(header));
}

void ResultOutput::write_row(const dae::State& state) {
  writer_->write_row(state.t, rows_.list(state));
  if (writer_->has_failed()) interruption().store(true);
}

void ResultOutput::write_step(const integrators::StepRecord& step) {
  const std::array<double, 3> values{step.t, step.h, step.error};
  writer_->write_step(values);
}

int ResultOutput::finish(const integrators::RunResult& result, bool as_json) {
  const auto summary = summarize_as_json(problem_.name, problem_.given, result);
  std::string saved, not_saved;
  if (writer_) {
    try {
      for (const integrators::EventRecord& event : result.events) writer_->add_event(event.name, event.t);
      writer_->finish(summary.dump());
      saved = fmt::format("  results        {} ({} rows)\n", writer_->path(), writer_->rows());
    } catch (const std::runtime_error& error) {
      not_saved = error.what();
    }
  }
  if (as_json) {
    fmt::print("{}\n", summary.dump(2));
    if (!result.ok()) fmt::print(stderr, "trammel: {}\n", result.reason);
  } else {
    fmt::print(result.ok() ? stdout : stderr, "{}{}", summarize(problem_.name, problem_.given, result), saved);
  }
  if (!not_saved.empty()) fmt::print(stderr, "trammel: {}\n", not_saved);
  return result.ok() && not_saved.empty() ? kDone : kSimulationFailed;
}

void check_out(const std::optional<std::string>& path) {
  if (path && path->empty()) throw InputError("--out needs the name of a file");
}

}  // namespace trammel::cli
