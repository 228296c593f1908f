// What is written is read again, in both formats.

#include <array>
#include <limits>

#include "tests/io/result_samples.h"
#include "trammel/io/state_columns.h"

namespace trammel::io {
namespace {

class ResultFormats : public ResultFolder {};

void expect_sample_values(const ResultFile& file, long rows) {
  ASSERT_EQ(file.rows(), rows);
  for (std::size_t i = 0; i < file.columns().size(); ++i) {
    const std::vector<double> values = file.read_column(file.columns()[i].name);
    ASSERT_EQ(static_cast<long>(values.size()), rows);
    for (long row = 0; row < rows; ++row) {
      ASSERT_EQ(values[static_cast<std::size_t>(row)], sample_value(i, row)) << "column " << i << " row " << row;
      ASSERT_EQ(file.time()[static_cast<std::size_t>(row)], sample_time(row));
    }
  }
}

TEST_F(ResultFormats, Hdf5KeepsEverything) {
  const ResultHeader header = sample_header();
  write_sample(path("a.h5"), 1000);
  const ResultFile file = ResultFile::open(path("a.h5"));
  const ResultHeader& read = file.header();
  EXPECT_EQ(read.model, header.model);
  EXPECT_EQ(read.method, header.method);
  EXPECT_EQ(read.tolerance, header.tolerance);
  EXPECT_EQ(read.version, header.version);
  EXPECT_EQ(read.created, header.created);
  EXPECT_EQ(read.source, header.source);
  EXPECT_EQ(read.scene, header.scene);
  EXPECT_EQ(read.parameters, header.parameters);
  EXPECT_EQ(read.attributes, header.attributes);
  ASSERT_EQ(read.columns.size(), header.columns.size());
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    EXPECT_EQ(read.columns[i].name, header.columns[i].name);
    EXPECT_EQ(read.columns[i].unit, header.columns[i].unit);
    EXPECT_EQ(read.columns[i].group, header.columns[i].group);
    EXPECT_EQ(read.columns[i].description, header.columns[i].description);
  }
  ASSERT_EQ(read.step_columns.size(), 2u);
  EXPECT_EQ(read.step_columns[0].name, "h");
  EXPECT_EQ(read.step_columns[0].unit, "s");
  EXPECT_EQ(file.steps(), 1);
  EXPECT_EQ(file.read_steps(), (Eigen::MatrixXd(1, 2) << 0.01, 0.5).finished());
  ASSERT_EQ(file.events().size(), 1u);
  EXPECT_EQ(file.events()[0].name, "touch");
  EXPECT_EQ(file.events()[0].t, 0.25);
  EXPECT_TRUE(file.is_finished());
  EXPECT_EQ(file.summary(), R"({"status": "completed", "reason": "reached the end time"})");
  expect_sample_values(file, 1000);
}

TEST_F(ResultFormats, CsvKeepsTimeNamesAndValues) {
  write_sample(path("a.csv"), 1000);
  const ResultFile file = ResultFile::open(path("a.csv"));
  expect_sample_values(file, 1000);
  EXPECT_EQ(file.columns()[1].name, "hinge.force.y");
  EXPECT_TRUE(file.events().empty());
  EXPECT_EQ(file.read_steps().size(), 0);
  const std::string text = read_text_file(path("a.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n')), "t,crank.x,hinge.force.y,crank.y,crank.angle");
}

TEST_F(ResultFormats, CsvIsWhatSpreadsheetsExpect) {
  ResultHeader header;
  header.columns = {{"x", "m", "bodies", ""}, {"lambda(a, \"b\")", "", "constraints", ""}};
  const auto writer = create_result_writer(path("a.csv"), header);
  writer->write_row(0, std::array{0.1, -1e300});
  writer->write_row(0.5, std::array{std::numeric_limits<double>::quiet_NaN(), 2.0});
  writer->finish("{}");
  EXPECT_EQ(read_text_file(path("a.csv")), "t,x,\"lambda(a, \"\"b\"\")\"\n0,0.1,-1e+300\n0.5,nan,2\n");
}

TEST_F(ResultFormats, BlocksOfRowsAndColumnsAreReadInAnyOrder) {
  write_sample(path("a.h5"), 700);
  write_sample(path("a.csv"), 700);
  for (const char* name : {"a.h5", "a.csv"}) {
    const ResultFile file = ResultFile::open(path(name));
    const Eigen::MatrixXd values = file.read(std::array<std::size_t, 4>{3, 0, 2, 1}, 250, 20);
    ASSERT_EQ(values.rows(), 20);
    for (long i = 0; i < 20; ++i) {
      EXPECT_EQ(values(i, 0), sample_value(3, 250 + i));
      EXPECT_EQ(values(i, 1), sample_value(0, 250 + i));
      EXPECT_EQ(values(i, 2), sample_value(2, 250 + i));
      EXPECT_EQ(values(i, 3), sample_value(1, 250 + i));
    }
    EXPECT_EQ(file.read({}, 0, 700).size(), 0);
    EXPECT_THROW(file.read(std::array<std::size_t, 1>{0}, 690, 11), std::invalid_argument);
    EXPECT_THROW(file.read(std::array<std::size_t, 1>{4}, 0, 1), std::invalid_argument);
    EXPECT_THROW(file.read_column("crank"), std::invalid_argument);
    EXPECT_EQ(file.read_column("t"), file.time());
  }
}

TEST_F(ResultFormats, ValuesThatAreNoNumbersAreKept) {
  const double infinity = std::numeric_limits<double>::infinity();
  ResultHeader header;
  header.columns = {{"x", "", "bodies", ""}};
  for (const char* name : {"a.h5", "a.csv"}) {
    const auto writer = create_result_writer(path(name), header);
    for (const double value : {std::nan(""), infinity, -infinity, -0.0, 5e-324}) writer->write_row(0, {&value, 1});
    writer->finish("{}");
    const std::vector<double> x = ResultFile::open(path(name)).read_column("x");
    ASSERT_EQ(x.size(), 5u);
    EXPECT_TRUE(std::isnan(x[0]));
    EXPECT_EQ(x[1], infinity);
    EXPECT_EQ(x[2], -infinity);
    EXPECT_TRUE(std::signbit(x[3]));
    EXPECT_EQ(x[4], 5e-324);
  }
}

TEST_F(ResultFormats, ATableMayBeEmpty) {
  ResultHeader no_columns;
  no_columns.model = "nothing";
  for (const char* name : {"a.h5", "a.csv"}) {
    write_sample(path(name), 0);
    const ResultFile no_rows = ResultFile::open(path(name));
    EXPECT_EQ(no_rows.rows(), 0);
    EXPECT_EQ(no_rows.columns().size(), 4u);
    EXPECT_TRUE(no_rows.read_column("crank.x").empty());
    write_sample(path(name), 3, no_columns);
    const ResultFile only_time = ResultFile::open(path(name));
    EXPECT_EQ(only_time.rows(), 3);
    EXPECT_TRUE(only_time.columns().empty());
  }
}

TEST_F(ResultFormats, NamesMayHoldAnything) {
  const std::vector<std::string> names{
      "a b", "a/b", "/", "..",   "a,b", "a\"b\"", "\xC3\xA4\xE2\x82\xAC", "x\ny", "'", "a.b.c", "[0]", "*", "?",
      "\\",  " x ", "#", "%s{}", "T",   "x(1)'",  std::string(3000, 'n')};
  ResultHeader header;
  for (const std::string& name : names) header.columns.push_back({name, "\xC2\xB0", "bodies", name});
  for (const char* file_name : {"a.h5", "a.csv"}) {
    write_sample(path(file_name), 2, header);
    const ResultFile file = ResultFile::open(path(file_name));
    ASSERT_EQ(file.columns().size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(file.columns()[i].name, names[i]) << file_name;
      EXPECT_EQ(file.read_column(names[i]).at(1), sample_value(i, 1)) << names[i];
    }
    EXPECT_EQ(file.find_columns("*"), (std::vector<std::size_t>{11})) << "the column of that name";
  }
}

TEST_F(ResultFormats, ThousandsOfColumnsAndManyRowsAreRead) {
  ResultHeader header;
  for (int i = 0; i < 3000; ++i) {
    header.columns.push_back({"c" + std::to_string(i), "m", i % 7 == 0 ? "joints" : "bodies", "number"});
  }
  const long rows = 700;  // more than a block
  write_sample(path("a.h5"), rows, header);
  const ResultFile file = ResultFile::open(path("a.h5"));
  ASSERT_EQ(file.rows(), rows);
  for (const std::size_t i : {0u, 1u, 7u, 1500u, 2999u}) {
    EXPECT_EQ(file.columns()[i].name, "c" + std::to_string(i));
    EXPECT_EQ(file.read_column("c" + std::to_string(i)).at(699), sample_value(i, 699));
  }
}

TEST_F(ResultFormats, ManyStepsAndEventsAreKept) {
  const auto writer = create_result_writer(path("a.h5"), sample_header());
  write_sample_rows(*writer, 4, 0, 10);
  for (int i = 0; i < 5000; ++i) {
    writer->write_step(std::vector<double>{i * 1.0, i * 2.0});
    if (i % 5 == 0) writer->add_event("e" + std::to_string(i), i);
  }
  writer->finish("{}");
  const ResultFile file = ResultFile::open(path("a.h5"));
  const Eigen::MatrixXd steps = file.read_steps();
  ASSERT_EQ(steps.rows(), 5000);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(steps.row(i), Eigen::RowVector2d(i, 2 * i));
  ASSERT_EQ(file.events().size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(file.events()[i].name, "e" + std::to_string(5 * i));
    ASSERT_EQ(file.events()[i].t, 5.0 * static_cast<double>(i));
  }
}

TEST_F(ResultFormats, AMegabyteOfModelSourceIsKept) {
  ResultHeader header = sample_header();
  header.source.assign(1 << 20, 'y');
  header.attributes = {{"long", std::string(100000, 'z')}};
  write_sample(path("a.h5"), 1, header);
  const ResultFile file = ResultFile::open(path("a.h5"));
  EXPECT_EQ(file.header().source, header.source);
  EXPECT_EQ(file.header().attributes, header.attributes);
}

TEST_F(ResultFormats, EqualRunsGiveEqualFiles) {
  write_sample(path("a.h5"), 300);
  write_sample(path("b.h5"), 300);
  EXPECT_EQ(read_text_file(path("a.h5")), read_text_file(path("b.h5")));
}

TEST(NamePattern, StarAndQuestionMarkStandForText) {
  EXPECT_TRUE(matches_pattern("crank.x", "crank.x"));
  EXPECT_TRUE(matches_pattern("crank.x", "crank.*"));
  EXPECT_TRUE(matches_pattern("crank.x", "*.x"));
  EXPECT_TRUE(matches_pattern("crank.x", "*"));
  EXPECT_TRUE(matches_pattern("crank.x", "c*k.?"));
  EXPECT_TRUE(matches_pattern("aaab", "*a?b"));
  EXPECT_TRUE(matches_pattern("", "*"));
  EXPECT_TRUE(matches_pattern("a[1]", "a[1]")) << "brackets are nothing special";
  EXPECT_TRUE(matches_pattern("\xC3\xA4x", "?x")) << "a letter of two bytes";
  EXPECT_FALSE(matches_pattern("crank.x", "crank"));
  EXPECT_FALSE(matches_pattern("crank.x", "?crank.x"));
  EXPECT_FALSE(matches_pattern("crank.x", "*.y"));
  EXPECT_FALSE(matches_pattern("", "?"));
  EXPECT_FALSE(matches_pattern("x", ""));
}

TEST_F(ResultFormats, PatternsFindColumns) {
  write_sample(path("a.h5"), 1);
  const ResultFile file = ResultFile::open(path("a.h5"));
  EXPECT_EQ(file.find_columns("crank.*"), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(file.find_columns("*.y"), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(file.find_columns("rod*").empty());
  EXPECT_EQ(file.find_column("hinge.force.y"), 1u);
  EXPECT_FALSE(file.find_column("hinge"));
}

TEST(StateColumns, AreInTheOrderOfTheValues) {
  const auto structure = dae::Structure::full({"x", "y"}, {"rod"}, {"s"});
  const std::vector<Column> columns = state_columns(structure);
  dae::State state = dae::State::zero(structure);
  state.q << 1, 2;
  state.v << 3, 4;
  state.a << 5, 6;
  state.lambda << 7;
  state.x << 8;
  std::vector<double> values;
  list_state(state, values);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "x'", "y'", "a(x')", "a(y')", "lambda(rod)", "s"}));
}

}  // namespace
}  // namespace trammel::io
