// The trammel program: parses the command line, runs one command, reports errors.

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "problem.h"
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

/// The message on standard error and, where JSON was asked for, as trammel.error/1 on standard output. Standard output
/// may be what failed, so that nothing is thrown here.
void report(const std::string& message, const char* cause, const std::vector<trammel::io::ModelProblem>& problems,
            bool as_json, const std::string& advice = "") {
  std::fputs(("trammel: " + message + "\n" + advice).c_str(), stderr);
  if (!as_json) return;
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const trammel::io::ModelProblem& problem : problems) {
    list.push_back(
        {{"file", problem.file}, {"line", problem.line}, {"column", problem.column}, {"message", problem.message}});
  }
  const Json object{{"schema", "trammel.error/1"}, {"error", message}, {"cause", cause}, {"problems", list}};
  std::fputs((object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::runtime_error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  // At exit the library would complain of what it could not close in a damaged file; all other files are closed by
  // then.
  H5dont_atexit();
  CLI::App app{"Trammel simulates mechanisms: bodies tied by joints and loaded by forces."};
  app.set_version_flag("--version", TRAMMEL_VERSION);
  app.require_subcommand(1);
  cli::Action action;
  cli::add_run_command(app, action);
  cli::add_check_command(app, action);
  cli::add_statics_command(app, action);
  cli::add_kinematics_command(app, action);
  cli::add_compare_command(app, action);
  cli::add_report_command(app, action);
  cli::add_plot_command(app, action);
  cli::add_results_command(app, action);
  cli::add_cases_command(app, action);
  cli::add_methods_command(app, action);
  cli::add_joints_command(app, action);
  cli::add_forces_command(app, action);
  cli::add_schema_command(app, action);
  const bool as_json =
      std::any_of(argv + 1, argv + argc, [](const char* word) { return word == std::string("--json"); });
  try {
    check_command_name(app, argc, argv);
    app.parse(argc, argv);
    const int status = action();
    flush_output();
    return status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + " ";
    report(error.what(), "input", {}, as_json, fmt::format("Run 'trammel {}--help' for what there is.\n", command));
    return cli::kInputWrong;
  } catch (const cli::InputError& error) {
    report(error.what(), "input", error.problems(), as_json);
    return cli::kInputWrong;
  } catch (const cli::PreparationError& error) {
    report(error.what(), "assembly", {}, as_json);
  } catch (const std::exception& error) {
    report(error.what(), "failure", {}, as_json);
  }
  return cli::kSimulationFailed;
}
