// The trammel program: parses the command line, runs one command, reports errors.

#include <fmt/format.h>

#include "commands.h"

int main(int argc, char** argv) {
  using namespace trammel::cli;
  CLI::App app{"Trammel simulates mechanisms: bodies tied by joints and loaded by forces."};
  app.set_version_flag("--version", TRAMMEL_VERSION);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("trammel: {}\nRun 'trammel --help' or 'trammel run --help' for what there is.\n", error.what());
  });
  Action action;
  add_run_command(app, action);
  add_cases_command(app, action);
  add_methods_command(app, action);
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kInputWrong;
  } catch (const InputError& error) {
    fmt::print(stderr, "trammel: {}\n", error.what());
    return kInputWrong;
  } catch (const std::exception& error) {
    fmt::print(stderr, "trammel: {}\n", error.what());
    return kSimulationFailed;
  }
}
