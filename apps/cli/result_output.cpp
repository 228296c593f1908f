#include "result_output.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "column_choice.h"
#include "commands.h"
#include "coordinates_option.h"
#include "run_control.h"
#include "run_summary.h"
#include "trammel/io/state_columns.h"
#include "trammel/math/turns.h"

namespace trammel::cli {

ResultRows::ResultRows(const Problem& problem, bool continues_angles)
    : given_(problem.given), continues_angles_(continues_angles) {
  if (given_.mechanism) {
    mechanism_ = std::make_unique<io::MechanismColumns>(*given_.mechanism);
  } else if (given_.scene && given_.bodies) {
    add_pose_columns();
  }
}

void ResultRows::add_pose_columns() {
  std::set<std::string> known;
  for (const io::Column& column : io::state_columns(given_.system->structure())) known.insert(column.name);
  const std::vector<cases::BodyPose> bodies = given_.bodies(given_.start);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::array<const char*, 3> components{".x", ".y", ".angle"};
    for (int c = 0; c < 3; ++c) {
      const std::string name = bodies[k].name + components[static_cast<std::size_t>(c)];
      if (known.contains(name)) continue;  // a coordinate of the equations
      const bool is_angle = c == 2;
      poses_.push_back({{name, is_angle ? "rad" : "m", "bodies", is_angle ? "rotation about z" : "position"}, k, c});
    }
  }
}

std::vector<io::Column> ResultRows::columns() const {
  if (mechanism_) return mechanism_->columns();
  std::vector<io::Column> columns = io::state_columns(given_.system->structure());
  for (const PoseColumn& pose : poses_) columns.push_back(pose.column);
  return columns;
}

const std::vector<double>& ResultRows::list(const dae::State& state) {
  if (mechanism_) return mechanism_->list(state);
  io::list_state(state, values_);
  if (poses_.empty()) return values_;
  const std::vector<cases::BodyPose> bodies = given_.bodies(state);
  for (PoseColumn& pose : poses_) {
    const cases::BodyPose& body = bodies[pose.body];
    values_.push_back(pose.component == 2 ? continue_angle(pose, body, state.t) : body.position[pose.component]);
  }
  last_t_ = state.t;
  return values_;
}

double ResultRows::continue_angle(PoseColumn& pose, const cases::BodyPose& body, double t) const {
  if (!continues_angles_) return body.angle;
  const double rate = body.angular_velocity;
  const double expected = last_t_ ? pose.last + 0.5 * (pose.last_rate + rate) * (t - *last_t_) : body.angle;
  pose.last_rate = rate;
  return pose.last = math::nearest_turn(body.angle, expected);
}

std::vector<std::size_t> ResultRows::find_jumping() const {
  return mechanism_ ? mechanism_->find_jumping() : std::vector<std::size_t>{};
}

namespace {

std::unique_ptr<io::ResultWriter> create_writer(const std::string& path, const Problem& problem, const ResultRows& rows,
                                                io::ResultHeader header) {
  header.model = problem.name;
  header.version = TRAMMEL_VERSION;
  header.created = io::time_now();
  header.parameters = problem.parameters;
  if (problem.model) header.source = problem.model->source;
  if (problem.given.mechanism) {
    header.scene = io::to_json(io::make_scene(problem.given.mechanism->model()));
  } else if (problem.given.scene) {
    header.scene = io::to_json(*problem.given.scene);
  }
  header.columns = rows.columns();
  try {
    return io::create_result_writer(path, header);
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
}

/// The columns whose continuous solution is stored. Those that jump where no step ends are left out, with a note.
std::vector<std::size_t> choose_continuous(const std::vector<std::string>& names, const ResultRows& rows,
                                           const std::string& owner) {
  const std::vector<io::Column> columns = rows.columns();
  std::vector<std::size_t> chosen =
      choose_columns(columns, names, owner, "'trammel results' lists those of a result file");
  for (const std::size_t place : rows.find_jumping()) {
    if (std::erase(chosen, place) == 0) continue;
    print_notes({fmt::format("'{}' may jump where no step ends: of it there are rows, and no continuous solution",
                             columns[place].name)});
  }
  if (chosen.empty()) throw InputError("there is no column whose continuous solution could be stored");
  return chosen;
}

}  // namespace

ResultOutput::ResultOutput(const std::optional<std::string>& path, const Problem& problem, io::ResultHeader header,
                           const std::optional<ContinuousRequest>& continuous)
    : problem_(problem), rows_(problem) {
  if (!path) return;
  if (continuous) header.continuous = choose_continuous(continuous->names, rows_, problem.name);
  const std::vector<std::size_t> chosen = header.continuous;
  writer_ = create_writer(*path, problem, rows_, std::move(header));
  if (!continuous) return;
  nodes_ = std::make_unique<ResultRows>(problem, true);
  recorder_ = std::make_unique<io::ContinuousRecorder>(
      *writer_, chosen, continuous->max_degree,
      [this](const dae::State& state) -> const std::vector<double>& { return nodes_->list(state); });
}

void ResultOutput::write_row(const dae::State& state) {
  writer_->write_row(state.t, rows_.list(state));
  if (writer_->has_failed()) interruption().store(true);
}

void ResultOutput::write_step(const integrators::StepRecord& step) {
  const std::array<double, 6> values{step.t,
                                     step.h,
                                     step.error,
                                     static_cast<double>(step.order),
                                     static_cast<double>(step.newton_iterations),
                                     static_cast<double>(step.rejected)};
  writer_->write_step(values);
}

void ResultOutput::write_interval(const integrators::SolutionInterval& interval) {
  recorder_->record(interval);
  if (writer_->has_failed()) interruption().store(true);
}

std::vector<std::string> ResultOutput::notes() const {
  if (!recorder_ || recorder_->lost() == 0) return {};
  return {
      fmt::format("{} intervals of the continuous solution, the first at t = {:g}, could not be put onto the "
                  "constraints and have no values",
                  recorder_->lost(), recorder_->first_lost())};
}

int ResultOutput::finish(const integrators::RunResult& result, bool as_json, const analyses::Form* form) {
  auto summary = summarize_as_json(problem_.name, problem_.given, result);
  std::string saved, not_saved;
  if (!problem_.given.mechanism) form = nullptr;
  if (form) {
    summary["coordinates"] = name_coordinates(*form);
    if (!form->reason.empty()) summary["coordinates_reason"] = form->reason;
  }
  if (writer_) {
    try {
      for (const integrators::EventRecord& event : result.events) writer_->add_event(event.name, event.t);
      writer_->finish(summary.dump());
      is_saved_ = true;
      const std::string intervals = recorder_ ? fmt::format(", continuous: {} intervals", recorder_->intervals()) : "";
      saved = fmt::format("  results        {} ({} rows{})\n", writer_->path(), writer_->rows(), intervals);
    } catch (const std::runtime_error& error) {
      not_saved = error.what();
    }
  }
  if (as_json) {
    fmt::print("{}\n", summary.dump(2));
    if (!result.ok()) fmt::print(stderr, "trammel: {}\n", result.reason);
  } else {
    fmt::print(result.ok() ? stdout : stderr, "{}{}", summarize(problem_.name, problem_.given, result, form), saved);
  }
  if (!not_saved.empty()) fmt::print(stderr, "trammel: {}\n", not_saved);
  return result.ok() && not_saved.empty() ? kDone : kSimulationFailed;
}

void check_out(const std::optional<std::string>& path) {
  if (path && path->empty()) throw InputError("--out needs the name of a file");
}

void check_other_file(const std::string& input, const std::string& output) {
  std::error_code error;  // of a file that is not there
  if (!std::filesystem::equivalent(input, output, error)) return;
  throw InputError(fmt::format("'{}' is the file that is read; write to another name", output));
}

}  // namespace trammel::cli
