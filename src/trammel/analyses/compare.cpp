#include "trammel/analyses/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace trammel::analyses {

using integrators::MethodEntry;

namespace {

struct Task {
  std::string method;
  double tolerance = 0;
  std::string name() const { return fmt::format("{} {}", method, describe_tolerance(tolerance)); }
};

class Comparer {
 public:
  Comparer(const ProblemFactory& factory, const CompareOptions& options, const CompareObserver& observer)
      : factory_(factory), options_(options), observer_(observer), problem_(factory()) {
    jobs_ = options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }

  Comparison compare(CompareStart start);

 private:
  bool is_cancelled() const { return options_.cancel && options_.cancel->load(); }
  integrators::Options base_options() const;
  integrators::Options options_for(const std::string& method, double tolerance) const;
  void choose_methods(Comparison& comparison);
  void provide_reference(CompareStart& start, Comparison& comparison);
  void provide_stiffness(CompareStart& start, Comparison& comparison);
  void provide_curves(CompareStart& start, Comparison& comparison);
  void record_reference(Comparison& comparison);
  std::vector<dae::State> collect_states(const Comparison& comparison) const;
  void run_tasks(const std::vector<Task>& tasks, const Comparison& comparison);
  void work(const std::vector<Task>& tasks, const Comparison& comparison, const ErrorMeasure* by);
  ComparedRun run(const CompareProblem& problem, const Task& task, const Comparison& comparison,
                  const ErrorMeasure* by) const;
  void show_progress();
  void begin(const Task& task);
  void finish(const Task& task, ComparedRun run);
  void note_too_slow(const ComparedRun& run);
  bool is_too_slow(const Task& task) const;

  const ProblemFactory& factory_;
  const CompareOptions& options_;
  const CompareObserver& observer_;
  CompareProblem problem_;
  int jobs_ = 1;
  std::vector<std::string> methods_;  // that can take the problem
  ReferenceCurves curves_;            // of the variables; empty: they are not analysed

  std::mutex mutex_;  // of what follows
  std::vector<ComparedRun> runs_;
  std::multiset<std::string> running_;
  std::map<std::string, double> too_slow_;  // the loosest tolerance at which a method took too long
  std::size_t next_ = 0;
  int total_ = 0;
  std::exception_ptr trouble_;
};

integrators::Options Comparer::base_options() const {
  integrators::Options base;
  base.h_max = options_.h_max;
  base.time_limit = options_.time_limit;
  base.cancel = options_.cancel;
  return base;
}

void Comparer::choose_methods(Comparison& comparison) {
  std::vector<std::string> names = options_.methods;
  if (names.empty()) {
    for (const MethodEntry* entry : integrators::methods()) names.push_back(entry->name);
  }
  for (const std::string& name : names) {
    const MethodEntry* entry = integrators::find_method(name);
    if (!entry) throw std::invalid_argument(fmt::format("there is no method '{}'", name));
    const auto given = options_.method_options.find(name);
    const std::string obstacle = find_obstacle(
        problem_, *entry, given == options_.method_options.end() ? integrators::MethodOptions{} : given->second);
    if (obstacle.empty()) {
      methods_.push_back(name);
    } else {
      comparison.unfit.push_back({name, obstacle});
    }
  }
}

void Comparer::provide_reference(CompareStart& start, Comparison& comparison) {
  if (start.reference) {
    comparison.reference = std::move(*start.reference);
    const Trajectory& given = comparison.reference.trajectory;
    const dae::Structure& s = problem_.system->structure();
    if (given.size() > 0 && (given.q.cols() != s.n_q() || given.v.cols() != s.n_v())) {
      throw std::invalid_argument(fmt::format("the reference has {} positions and {} velocities, the problem {} and {}",
                                              given.q.cols(), given.v.cols(), s.n_q(), s.n_v()));
    }
    return;
  }
  ReferenceOptions options = options_.reference;
  options.jobs = jobs_;
  const double tightest = *std::min_element(options_.tolerances.begin(), options_.tolerances.end());
  options.wanted_agreement = std::max(options.wanted_agreement, 0.1 * tightest);
  comparison.reference = find_reference(factory_, base_options(), options_.method_options, options_.samples, options);
  if (!is_cancelled() && observer_.reference) observer_.reference(comparison.reference);
}

/// Where the reference has none: along a run of whichever method gets through.
std::vector<dae::State> Comparer::collect_states(const Comparison& comparison) const {
  if (!comparison.reference.states.empty()) return comparison.reference.states;
  const std::vector<double> times = uniform_times(problem_.start.t, problem_.t_end, options_.samples);
  for (const std::string& method : methods_) {
    integrators::Options options = base_options();
    options.method = method;
    SampledRun run = run_sampled(problem_, options, {times, options_.reference.states, 0});
    if (is_cancelled()) break;
    if (run.result.ok() && !run.states.empty()) return std::move(run.states);
  }
  return {};
}

void Comparer::provide_stiffness(CompareStart& start, Comparison& comparison) {
  if (start.stiffness) {
    comparison.stiffness = std::move(*start.stiffness);
    return;
  }
  const double end = comparison.reference.t_end.value_or(problem_.t_end);
  comparison.stiffness = measure_stiffness(problem_, collect_states(comparison), end - problem_.start.t);
  if (!is_cancelled() && observer_.stiffness) observer_.stiffness(comparison.stiffness);
}

integrators::Options Comparer::options_for(const std::string& method, double tolerance) const {
  integrators::Options options = base_options();
  options.method = method;
  options.rtol = options.atol = tolerance;
  if (const auto given = options_.method_options.find(method); given != options_.method_options.end()) {
    options.method_options = given->second;
  }
  return options;
}

/// Runs the reference again, for the variables between its samples, and then the method that agrees with it.
void Comparer::record_reference(Comparison& comparison) {
  ReferenceSolution& reference = comparison.reference;
  const RunVariables& variables = options_.variables;
  const auto unlimited = [&](const std::string& method, double tolerance) {
    integrators::Options options = options_for(method, tolerance);
    options.time_limit = std::numeric_limits<double>::infinity();  // it got through before, with less to compute
    return options;
  };
  RecordedCurves recorded = record_curves(problem_, unlimited(reference.method, reference.tolerance), variables,
                                          reference.trajectory.t.back());
  if (is_cancelled()) return;
  if (!recorded.obstacle.empty()) {
    reference.warnings.push_back(
        fmt::format("errors of variables are not known, because the run of the reference could not be kept: {}",
                    recorded.obstacle));
    return;
  }
  curves_ = std::move(recorded.curves);
  RunErrors limits(variables, curves_);
  SamplingOptions sampling;
  sampling.interval = [&](const integrators::SolutionInterval& interval) { limits.add(interval); };
  run_sampled(problem_, unlimited(reference.other_method, reference.other_tolerance), sampling);
  if (!is_cancelled()) comparison.variable_limits = limits.list();
}

void Comparer::provide_curves(CompareStart& start, Comparison& comparison) {
  if (options_.variables.is_empty() || !comparison.reference.exists()) return;
  if (!start.curves.empty()) {
    curves_ = std::move(start.curves);
  } else if (comparison.reference.is_given()) {
    throw std::invalid_argument("the reference has no curves of the variables whose errors are wanted");
  } else {
    record_reference(comparison);
  }
}

void Comparer::show_progress() {
  if (!observer_.progress) return;
  observer_.progress({static_cast<int>(runs_.size()), total_, {running_.begin(), running_.end()}});
}

void Comparer::begin(const Task& task) {
  running_.insert(task.name());
  show_progress();
}

void Comparer::note_too_slow(const ComparedRun& run) {
  double& tolerance = too_slow_.emplace(run.method, run.tolerance).first->second;
  tolerance = std::max(tolerance, run.tolerance);
}

bool Comparer::is_too_slow(const Task& task) const {
  const auto found = too_slow_.find(task.method);
  return found != too_slow_.end() && task.tolerance < found->second;
}

void Comparer::finish(const Task& task, ComparedRun run) {
  running_.erase(running_.find(task.name()));
  if (run.outcome == RunOutcome::kCancelled) return;
  if (run.outcome == RunOutcome::kTimeLimit) note_too_slow(run);
  if (observer_.run) observer_.run(run);
  runs_.push_back(std::move(run));
  show_progress();
}

ComparedRun Comparer::run(const CompareProblem& problem, const Task& task, const Comparison& comparison,
                          const ErrorMeasure* by) const {
  const integrators::Options options = options_for(task.method, task.tolerance);
  RunSettings settings;
  if (!curves_.empty()) {
    settings.variables = &options_.variables;
    settings.curves = &curves_;
  }
  settings.timing_seconds = options_.timing_seconds;
  settings.end = comparison.reference.t_end;
  settings.times = by ? by->reference().t : uniform_times(problem.start.t, problem.t_end, options_.samples);
  return run_compared(problem, options, settings, by, comparison.reference.least_meaningful_error());
}

/// One thread's share: takes tasks until there are none.
void Comparer::work(const std::vector<Task>& tasks, const Comparison& comparison, const ErrorMeasure* by) try {
  const CompareProblem problem = factory_();
  while (true) {
    std::unique_lock lock(mutex_);
    if (next_ >= tasks.size() || trouble_ || is_cancelled()) return;
    const Task& task = tasks[next_++];
    begin(task);
    if (is_too_slow(task)) {
      ComparedRun skipped;
      skipped.method = task.method;
      skipped.tolerance = task.tolerance;
      skipped.outcome = RunOutcome::kSkipped;
      skipped.remark = "not run: a looser tolerance already took longer than the time limit";
      finish(task, std::move(skipped));
      continue;
    }
    lock.unlock();
    ComparedRun done = run(problem, task, comparison, by);
    lock.lock();
    finish(task, std::move(done));
  }
} catch (...) {
  const std::lock_guard lock(mutex_);
  trouble_ = std::current_exception();
}

void Comparer::run_tasks(const std::vector<Task>& tasks, const Comparison& comparison) {
  std::optional<ErrorMeasure> by;
  if (comparison.reference.exists()) {
    const dae::Structure& s = problem_.system->structure();
    by.emplace(comparison.reference.trajectory, s.position_names, s.velocity_names);
  }
  const ErrorMeasure* measure = by ? &*by : nullptr;
  std::vector<std::thread> threads;
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(jobs_), tasks.size());
  for (std::size_t k = 0; k < count; ++k) threads.emplace_back([&] { work(tasks, comparison, measure); });
  for (std::thread& thread : threads) thread.join();
  if (trouble_) std::rethrow_exception(trouble_);
}

Comparison Comparer::compare(CompareStart start) {
  Comparison comparison;
  comparison.facts = collect_facts(problem_);
  choose_methods(comparison);
  show_progress();
  provide_reference(start, comparison);
  if (!is_cancelled()) provide_stiffness(start, comparison);
  if (!is_cancelled()) provide_curves(start, comparison);

  // Loose tolerances first: an interrupted comparison then has something of every method.
  std::vector<double> tolerances = options_.tolerances;
  std::sort(tolerances.begin(), tolerances.end(), std::greater<>());
  tolerances.erase(std::unique(tolerances.begin(), tolerances.end()), tolerances.end());
  std::vector<Task> tasks;
  for (const double tolerance : tolerances) {
    for (const std::string& method : methods_) {
      const auto known = std::find_if(start.runs.begin(), start.runs.end(), [&](const ComparedRun& r) {
        return r.method == method && r.tolerance == tolerance;
      });
      if (known == start.runs.end()) {
        tasks.push_back({method, tolerance});
      } else {
        if (known->outcome == RunOutcome::kTimeLimit) note_too_slow(*known);
        runs_.push_back(*known);
      }
    }
  }
  total_ = static_cast<int>(runs_.size() + tasks.size());
  if (!is_cancelled()) run_tasks(tasks, comparison);

  comparison.is_cancelled =
      static_cast<int>(runs_.size()) < total_ || (is_cancelled() && !comparison.reference.exists());
  const auto place = [&](const ComparedRun& run) { return std::find(methods_.begin(), methods_.end(), run.method); };
  std::sort(runs_.begin(), runs_.end(), [&](const ComparedRun& a, const ComparedRun& b) {
    return a.method == b.method ? a.tolerance > b.tolerance : place(a) < place(b);
  });
  comparison.runs = std::move(runs_);
  const double least = comparison.reference.least_meaningful_error();
  comparison.rankings = rank_by_decades(comparison.runs, least);
  comparison.advice = advise(comparison.runs, comparison.rankings, comparison.stiffness, comparison.facts);
  return comparison;
}

}  // namespace

std::vector<std::string> CompareOptions::validate() const {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, std::string message) {
    if (!holds) problems.push_back(std::move(message));
  };
  require(!tolerances.empty(), "no tolerances are given");
  for (const double tolerance : tolerances) {
    require(tolerance > 0 && tolerance < 1, fmt::format("the tolerance {:g} is not between 0 and 1", tolerance));
  }
  require(samples >= 1, fmt::format("{} samples are too few: at least 1", samples));
  require(time_limit > 0, fmt::format("the time limit of {:g} s is not positive", time_limit));
  require(jobs >= 0, fmt::format("{} jobs make no sense", jobs));
  require(h_max > 0, fmt::format("the largest step of {:g} s is not positive", h_max));
  require(timing_seconds >= 0, "the time for timing is negative");
  require(std::set<std::string>(methods.begin(), methods.end()).size() == methods.size(), "a method is named twice");
  return problems;
}

bool Comparison::has_completed_run() const {
  return std::any_of(runs.begin(), runs.end(), [](const ComparedRun& run) {
    return run.is_ranked() || run.outcome == RunOutcome::kNoReference || run.outcome == RunOutcome::kEndedEarly ||
           run.outcome == RunOutcome::kEndedLate;
  });
}

Comparison compare(const ProblemFactory& factory, const CompareOptions& options, const CompareObserver& observer,
                   CompareStart start) {
  if (const auto problems = options.validate(); !problems.empty()) {
    throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
  }
  return Comparer(factory, options, observer).compare(std::move(start));
}

}  // namespace trammel::analyses
