// The continuous solution of a run in its result file: as accurate as the method's own interpolation, exact at jumps,
// and as safe as the rows.

#include <hdf5.h>
#include <sys/wait.h>

#include <csignal>
#include <random>

#include "cases/case.h"
#include "tests/io/result_samples.h"
#include "tests/support/systems.h"
#include "trammel/integrators/integrate.h"
#include "trammel/io/continuous_recorder.h"
#include "trammel/io/state_columns.h"
#include "trammel/math/lobatto.h"

namespace trammel::io {
namespace {

using integrators::Observers;
using integrators::Options;
using integrators::RunResult;
using integrators::SolutionInterval;

ResultHeader header_of(const dae::Structure& structure) {
  ResultHeader header;
  header.columns = state_columns(structure);
  for (std::size_t i = 0; i < header.columns.size(); ++i) header.continuous.push_back(i);
  return header;
}

/// A state that the run itself gave at a time, as a row.
struct Sample {
  double t;
  std::vector<double> values;
};

class ContinuousResults : public ResultFolder {
 protected:
  /// Runs with a recorder and takes samples at random times, one an interval.
  std::vector<Sample> record(const dae::ConstrainedSystem& system, const dae::State& start, double t_end,
                             const Options& options, const std::vector<integrators::Event>& events = {},
                             int max_degree = 100) {
    const ResultHeader header = header_of(system.structure());
    const auto writer = create_result_writer(path("a.h5"), header);
    std::vector<double> row;
    ContinuousRecorder recorder(*writer, header.continuous, max_degree,
                                [&](const dae::State& state) -> const std::vector<double>& {
                                  list_state(state, row);
                                  return row;
                                });
    std::vector<Sample> samples;
    std::mt19937 random(3);
    Observers observers;
    observers.interval = [&](const SolutionInterval& interval) {
      recorder.record(interval);
      const double share = std::uniform_real_distribution<>(0, 1)(random);
      Sample sample{interval.begin + share * (interval.end - interval.begin), {}};
      list_state(*interval.at(sample.t), sample.values);
      samples.push_back(std::move(sample));
    };
    result_ = integrate(system, start, t_end, options, events, observers);
    EXPECT_NE(result_.status, integrators::RunStatus::kFailed) << result_.reason;
    EXPECT_EQ(recorder.lost(), 0);
    EXPECT_EQ(recorder.intervals(), static_cast<long>(samples.size()));
    writer->finish("{}");
    return samples;
  }
  /// The largest difference to the samples in units of 1 + the largest size of each column, for each kind of column.
  struct Differences {
    double q = 0, v = 0, a = 0;  ///< a: accelerations and reactions
  };
  Differences calc_differences(const std::vector<Sample>& samples, const dae::Structure& s) {
    const ResultFile file = ResultFile::open(path("a.h5"));
    const std::vector<std::size_t>& columns = file.continuous().columns;
    std::vector<double> times;
    for (const Sample& sample : samples) times.push_back(sample.t);
    const Eigen::MatrixXd values = file.evaluate(columns, times);
    Differences d;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      double size = 1, difference = 0;
      for (std::size_t k = 0; k < samples.size(); ++k) {
        size = std::max(size, 1 + std::abs(samples[k].values[i]));
        difference =
            std::max(difference, std::abs(samples[k].values[i] - values(static_cast<long>(k), static_cast<long>(i))));
      }
      const auto n_q = static_cast<std::size_t>(s.n_q()), n_v = static_cast<std::size_t>(s.n_v());
      double& largest = i < n_q ? d.q : i < n_q + n_v ? d.v : d.a;
      largest = std::max(largest, difference / size);
    }
    return d;
  }
  RunResult result_;
};

TEST_F(ContinuousResults, ReproduceTheInterpolationOfTheRunBetterThanTheTolerance) {
  for (const char* name : {"pendulum", "andrews"}) {
    const cases::Case problem = cases::build_case(*cases::find_case(name));
    const dae::Structure& s = problem.system->structure();
    for (const char* method : {"projection", "hht", "bdf-i3"}) {
      for (const double tolerance : {1e-4, 1e-7}) {
        Options options = Options::with_tolerance(tolerance);
        options.method = method;
        const double t_end = problem.start.t + 0.3 * (problem.t_end - problem.start.t);
        const Differences d = calc_differences(record(*problem.system, problem.start, t_end, options), s);
        SCOPED_TRACE(::testing::Message() << name << " by " << method << " at " << tolerance);
        EXPECT_LT(d.q, tolerance);
        EXPECT_LT(d.v, tolerance);
        EXPECT_LT(d.a, 10 * tolerance) << "accelerations and reactions, whose error no method controls";
        EXPECT_GT(d.q, 0) << "otherwise nothing was compared";
      }
    }
  }
}

integrators::Event bounce() {
  integrators::Event event;
  event.name = "impact";
  event.function = [](const dae::State& s) { return s.q[0]; };
  event.crossing = integrators::Crossing::kFalling;
  event.action = integrators::EventAction::kRestart;
  event.change = [](dae::State& s) { s.v[0] *= -0.5; };
  return event;
}

TEST_F(ContinuousResults, JumpsAreExactOnBothSides) {
  const testing::Ball ball;  // height, height', a(height); falls 5 m at 10 m/s^2
  record(ball, ball.start(), 1.7, Options::with_tolerance(1e-8), {bounce()});
  const ResultFile file = ResultFile::open(path("a.h5"));
  ASSERT_EQ(result_.events.size(), 1u);
  const double impact = result_.events[0].t;
  const std::array<std::size_t, 2> columns{0, 1};
  const std::array times{impact};
  const Eigen::MatrixXd before = file.evaluate(columns, times, Side::kBefore), after = file.evaluate(columns, times);
  EXPECT_NEAR(before(0, 1), -10, 1e-9);
  EXPECT_NEAR(after(0, 1), 5, 1e-9);
  EXPECT_NEAR(before(0, 0), 0, 1e-9);
  EXPECT_NEAR(after(0, 0), 0, 1e-9);
  // On either side the parabola goes on to the very border.
  for (const double dt : {1e-3, 1e-7, 1e-12}) {
    EXPECT_NEAR(file.evaluate(columns, std::array{impact - dt})(0, 1), -10 + 10 * dt, 1e-9);
    EXPECT_NEAR(file.evaluate(columns, std::array{impact + dt})(0, 1), 5 - 10 * dt, 1e-9);
  }
  EXPECT_NEAR(file.evaluate(columns, std::array{0.5})(0, 0), 5 - 5 * 0.25, 1e-9);
  EXPECT_NEAR(file.evaluate(columns, std::array{1.5})(0, 0), 5 * 0.5 - 5 * 0.25, 1e-9);
}

TEST_F(ContinuousResults, IntervalsShareTheirNodesUnlessSomethingHappensBetween) {
  const testing::Ball ball;
  Options options;
  options.h_fixed = 0.25;
  record(ball, ball.start(), 1.5, options, {bounce()});
  const ResultFile file = ResultFile::open(path("a.h5"));
  const std::vector<ContinuousInterval>& intervals = file.continuous().intervals;
  ASSERT_GE(intervals.size(), 6u);
  long alone = 0;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    EXPECT_EQ(intervals[i].begin, intervals[i - 1].end);
    const long next = intervals[i - 1].first + intervals[i - 1].degree;
    alone += intervals[i].first == next ? 0 : 1;
    EXPECT_TRUE(intervals[i].first == next || intervals[i].first == next + 1);
  }
  EXPECT_EQ(alone, 1) << "behind the impact";
  EXPECT_EQ(intervals.front().begin, 0);
  EXPECT_EQ(intervals.back().end, 1.5);
}

TEST_F(ContinuousResults, ALowerDegreeNeedsFewerNodesAndIsLessAccurate) {
  const cases::Case problem = cases::build_case(*cases::find_case("pendulum"));
  const dae::Structure& s = problem.system->structure();
  const Options options = Options::with_tolerance(1e-6);
  const auto run = [&](int degree) {
    const double error = calc_differences(record(*problem.system, problem.start, 1, options, {}, degree), s).q;
    const ResultFile file = ResultFile::open(path("a.h5"));
    const ContinuousInterval& last = file.continuous().intervals.back();
    EXPECT_EQ(last.degree, std::min(degree, 4));
    EXPECT_EQ(last.first + last.degree, last.degree * static_cast<long>(file.continuous().intervals.size()));
    return error;
  };
  const double line = run(1), parabola = run(2), whole = run(50);
  EXPECT_GT(line, 10 * parabola);
  EXPECT_GT(parabola, 10 * whole);
}

TEST_F(ContinuousResults, WhatCannotBeComputedIsNaNAndTheRestIsThere) {
  ResultHeader header = sample_header();
  header.continuous = {3, 1};
  const auto writer = create_result_writer(path("a.h5"), header);
  dae::State state;
  std::vector<double> row(4);
  ContinuousRecorder recorder(*writer, header.continuous, 3, [&](const dae::State& s) -> const std::vector<double>& {
    for (std::size_t i = 0; i < 4; ++i) row[i] = s.t * static_cast<double>(i);
    return row;
  });
  for (int k = 0; k < 3; ++k) {
    recorder.record({1.0 * k, k + 1.0, 5, k > 0, [&, k](double t) -> const dae::State* {
                       state.t = t;
                       return k == 1 && t > 1.5 ? nullptr : &state;
                     }});
  }
  EXPECT_EQ(recorder.lost(), 1);
  EXPECT_EQ(recorder.first_lost(), 1);
  writer->finish("{}");
  const ResultFile file = ResultFile::open(path("a.h5"));
  const std::array<std::size_t, 2> columns{1, 3};
  const Eigen::MatrixXd values = file.evaluate(columns, std::array{0.4, 1.2, 2.6});
  EXPECT_NEAR(values(0, 0), 0.4, 1e-15);
  EXPECT_NEAR(values(0, 1), 1.2, 1e-15);
  EXPECT_TRUE(std::isnan(values(1, 0)));
  EXPECT_NEAR(values(2, 1), 7.8, 1e-14);
  EXPECT_FALSE(file.is_continuous(0));
  EXPECT_THROW(file.evaluate(std::array<std::size_t, 1>{0}, std::array{0.4}), std::invalid_argument);
  EXPECT_THROW(file.evaluate(columns, std::array{3.01}), std::invalid_argument);
  EXPECT_THROW(file.evaluate(columns, std::array{std::nan("")}), std::invalid_argument);
}

/// Rows and intervals of the columns 0 and 2: polynomials of degree 2 in time.
ResultHeader continuous_header() {
  ResultHeader header = sample_header();
  header.continuous = {0, 2};
  return header;
}
double continuous_value(std::size_t column, double t) { return static_cast<double>(column) + t * (1 - t); }
void write_intervals(ResultWriter& writer, long first, long count) {
  for (long k = first; k < first + count; ++k) {
    const double begin = 0.1 * static_cast<double>(k), end = 0.1 * static_cast<double>(k + 1);
    std::vector<double> values;
    for (int j = k > 0 ? 1 : 0; j <= 2; ++j) {
      const double t = j == 2 ? end : begin + math::lobatto_node(2, j) * (end - begin);
      for (const std::size_t column : {0u, 2u}) values.push_back(continuous_value(column, t));
    }
    writer.write_interval({begin, end, 2}, k > 0, values);
  }
}
void write_continuous_sample(const std::string& path, long intervals) {
  const auto writer = create_result_writer(path, continuous_header());
  write_sample_rows(*writer, 4, 0, 20);
  write_intervals(*writer, 0, intervals);
  writer->finish("{}");
}
/// Says what is wrong with a file or its continuous solution, or nothing.
std::string problem_with(const std::string& path) {
  try {
    const ResultFile file = ResultFile::open(path);
    const std::vector<std::size_t>& columns = file.continuous().columns;
    for (const ContinuousInterval& interval : file.continuous().intervals) {
      file.evaluate(columns, std::array{0.5 * (interval.begin + interval.end)});
    }
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_F(ContinuousResults, AreWrittenInBlocksAndReadBack) {
  write_continuous_sample(path("a.h5"), 3000);
  const ResultFile file = ResultFile::open(path("a.h5"));
  EXPECT_EQ(file.rows(), 20);
  EXPECT_EQ(file.columns().size(), 4u);
  EXPECT_EQ(file.continuous().intervals.size(), 3000u);
  EXPECT_EQ(file.header().continuous, (std::vector<std::size_t>{0, 2}));
  std::vector<double> times;
  for (int k = 0; k < 5000; ++k) times.push_back(0.06 * k);
  const Eigen::MatrixXd values = file.evaluate(std::array<std::size_t, 1>{2}, times);
  for (std::size_t k = 0; k < times.size(); ++k) {
    ASSERT_NEAR(values(static_cast<long>(k), 0), continuous_value(2, times[k]), 1e-11 * (1 + times[k] * times[k]));
  }
}

TEST_F(ContinuousResults, AnAbandonedRunKeepsThem) {
  {
    const auto writer = create_result_writer(path("a.h5"), continuous_header());
    write_intervals(*writer, 0, 700);
  }
  const ResultFile file = ResultFile::open(path("a.h5") + ".part");
  EXPECT_FALSE(file.is_finished());
  EXPECT_EQ(file.continuous().intervals.size(), 700u);
  EXPECT_NEAR(file.evaluate(std::array<std::size_t, 1>{0}, std::array{69.95})(0, 0), continuous_value(0, 69.95), 1e-9);
}

TEST_F(ContinuousResults, AKilledRunKeepsWhatItHad) {
  const std::string part = path("a.h5.part");
  for (int i = 0; i < 3; ++i) {
    fs::remove(part);
    const pid_t child = fork();
    if (child == 0) {
      const auto writer = create_result_writer(path("a.h5"), continuous_header());
      for (long k = 0;; ++k) {
        write_sample_rows(*writer, 4, k, 1);
        write_intervals(*writer, k, 1);
      }
    }
    while (!fs::exists(part) || fs::file_size(part) < (1U << 20U)) usleep(100);
    usleep(static_cast<useconds_t>(900 * i));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_EQ(problem_with(part), "");
    const ResultFile file = ResultFile::open(part);
    const std::vector<ContinuousInterval>& intervals = file.continuous().intervals;
    ASSERT_GT(intervals.size(), 1000u);
    for (std::size_t k = 0; k < intervals.size(); k += 97) {
      const double t = 0.3 * intervals[k].begin + 0.7 * intervals[k].end;
      ASSERT_NEAR(file.evaluate(std::array<std::size_t, 1>{2}, std::array{t})(0, 0), continuous_value(2, t),
                  1e-11 * (1 + t * t));
    }
  }
}

TEST_F(ContinuousResults, DamageIsSaidAndNeverCrashes) {
  write_continuous_sample(path("a.h5"), 300);
  const std::string whole = read_text_file(path("a.h5"));
  for (std::size_t n = 0; n < whole.size(); n += 499) {
    write_text_file(path("b.h5"), whole.substr(0, n));
    EXPECT_NE(problem_with(path("b.h5")), "") << n;
  }
  std::mt19937 random(2);
  const auto any_below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    if (i % 2 == 0) {
      damaged.replace(any_below(whole.size() / 512) * 512, 512, 512, '\0');
    } else {
      for (int k = 0; k < 10; ++k) damaged[any_below(whole.size())] = static_cast<char>(any_below(256));
    }
    write_text_file(path("b.h5"), damaged);
    problem_with(path("b.h5"));
  }
}

TEST_F(ContinuousResults, TablesThatDoNotFitAreDamage) {
  const auto change = [&](const std::function<void(hid_t)>& what) {
    write_continuous_sample(path("a.h5"), 50);
    const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    what(file);
    H5Fclose(file);
    return problem_with(path("a.h5"));
  };
  const auto resize = [](hid_t file, const char* name, hsize_t rows, hsize_t columns) {
    const hid_t table = H5Dopen2(file, name, H5P_DEFAULT);
    const hsize_t size[] = {rows, columns};
    H5Dset_extent(table, size);
    H5Dclose(table);
  };
  for (const char* part : {"nodes", "intervals", "names", "order", "count"}) {
    const std::string name = std::string("continuous/") + part;
    EXPECT_NE(change([&](hid_t f) { H5Ldelete(f, name.c_str(), H5P_DEFAULT); }).find("is damaged: "), std::string::npos)
        << name;
  }
  EXPECT_NE(change([&](hid_t f) {
              resize(f, "continuous/nodes", 40, 2);
            }).find("the nodes of its continuous solution do not fit its intervals"),
            std::string::npos);
  EXPECT_NE(change([&](hid_t f) { resize(f, "continuous/intervals", 49, 4); }).find("do not fit their number"),
            std::string::npos);
  const auto overwrite = [](hid_t file, hsize_t row, hsize_t column, double value) {
    const hid_t table = H5Dopen2(file, "continuous/intervals", H5P_DEFAULT);
    const hid_t space = H5Dget_space(table);
    const hsize_t at[] = {row, column}, one[] = {1, 1};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, nullptr, one, nullptr);
    const hid_t memory = H5Screate_simple(2, one, nullptr);
    H5Dwrite(table, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(table);
  };
  EXPECT_NE(change([&](hid_t f) { overwrite(f, 7, 0, 0.1); }).find("out of order"), std::string::npos);
  EXPECT_NE(change([&](hid_t f) { overwrite(f, 7, 1, std::nan("")); }).find("out of order"), std::string::npos);
  for (const double value : {-1.0, 1e300, 2.5, std::nan(""), 400.0}) {
    EXPECT_NE(change([&](hid_t f) { overwrite(f, 7, 3, value); }).find("do not fit its intervals"), std::string::npos);
    EXPECT_NE(change([&](hid_t f) { overwrite(f, 7, 2, value); }).find("do not fit its intervals"), std::string::npos);
  }
}

TEST_F(ContinuousResults, WrongUseIsRefused) {
  const auto refuses = [&](const std::string& name, const ResultHeader& header) {
    EXPECT_THROW(create_result_writer(path(name), header), std::invalid_argument) << name;
  };
  refuses("a.csv", continuous_header());
  ResultHeader header = sample_header();
  header.continuous = {0, 0};
  refuses("a.h5", header);
  header.continuous = {4};
  refuses("a.h5", header);
  const auto writer = create_result_writer(path("a.h5"), continuous_header());
  const std::vector<double> values(8);
  EXPECT_THROW(writer->write_interval({0, 1, 3}, true, std::span(values).first(6)), std::invalid_argument) << "of none";
  EXPECT_THROW(writer->write_interval({0, 1, 2}, false, values), std::invalid_argument);
  EXPECT_THROW(writer->write_interval({1, 1, 3}, false, values), std::invalid_argument);
  EXPECT_THROW(writer->write_interval({0, 1, -1}, false, {}), std::invalid_argument);
  writer->write_interval({0, 1, 3}, false, values);
  const auto plain = create_result_writer(path("b.h5"), sample_header());
  EXPECT_THROW(plain->write_interval({0, 1, 3}, false, {}), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::io
