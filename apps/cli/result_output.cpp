#include "result_output.h"

#include "commands.h"
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

}  // namespace trammel::cli
