// The trammel program: parses the command line, runs one command, reports errors.

#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "trammel/model/near_names.h"

namespace {

namespace cli = trammel::cli;

/// A word that is no command gets its near names, which the parser would not give.
void check_command_name(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    throw cli::InputError(trammel::model::describe_unknown("command", argv[1], names));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Trammel simulates mechanisms: bodies tied by joints and loaded by forces."};
  app.set_version_flag("--version", TRAMMEL_VERSION);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("trammel: {}\nRun 'trammel --help' or 'trammel run --help' for what there is.\n", error.what());
  });
  cli::Action action;
  cli::add_run_command(app, action);
  cli::add_check_command(app, action);
  cli::add_statics_command(app, action);
  cli::add_kinematics_command(app, action);
  cli::add_cases_command(app, action);
  cli::add_methods_command(app, action);
  cli::add_joints_command(app, action);
  cli::add_forces_command(app, action);
  cli::add_schema_command(app, action);
  cli::add_results_command(app, action);
  try {
    check_command_name(app, argc, argv);
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kDone : cli::kInputWrong;
  } catch (const cli::InputError& error) {
    fmt::print(stderr, "trammel: {}\n", error.what());
    return cli::kInputWrong;
  } catch (const std::exception& error) {  // a model that cannot be assembled among them
    fmt::print(stderr, "trammel: {}\n", error.what());
    return cli::kSimulationFailed;
  }
}
