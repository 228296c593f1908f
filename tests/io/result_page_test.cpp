// The HTML page of a result file: what is put into the template.

#include "trammel/io/result_page.h"

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/io/result_samples.h"
#include "trammel/io/scene.h"

namespace trammel::io {
namespace {

const std::string kTemplate =
    "<html><script id=\"report\" type=\"application/json\">{}</script>\n"
    "<script id=\"values\" type=\"text/plain\"></script><script>run()</script></html>\n";

std::string decode(const std::string& text) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6U | static_cast<unsigned>(alphabet.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(group >> static_cast<unsigned>(bits -= 8));
  }
  return bytes;
}

struct Page {
  std::string text, report_text, values;
  nlohmann::json report;

  double time(std::size_t row) const { return number<double>(8 * row); }
  double value(std::size_t column, std::size_t row) const {
    const auto& how = report["columns"][column];
    const double stored = number<float>(8 * rows() + 4 * (column * rows() + row));
    return how["offset"].get<double>() + how["scale"].get<double>() * stored;
  }
  double step(std::size_t column, std::size_t k) const {
    const std::size_t columns = report["columns"].size(), steps = report["steps"];
    return number<double>(8 * rows() + 4 * columns * rows() + 8 * (column * steps + k));
  }
  std::size_t rows() const { return report["rows"]; }
  template <class Number>
  Number number(std::size_t at) const {
    Number result{};
    EXPECT_LE(at + sizeof result, values.size());
    std::memcpy(&result, values.data() + at, sizeof result);
    return result;
  }
};

Page read_page(const std::string& path) {
  Page page;
  std::ifstream stream(path);
  page.text.assign(std::istreambuf_iterator<char>(stream), {});
  const auto inside = [&](const std::string& opening) {
    const std::size_t begin = page.text.find(opening) + opening.size();
    return page.text.substr(begin, page.text.find("</script>", begin) - begin);
  };
  page.report_text = inside("<script id=\"report\" type=\"application/json\">");
  page.report = nlohmann::json::parse(page.report_text);
  page.values = decode(inside("<script id=\"values\" type=\"text/plain\">"));
  return page;
}

class ResultPage : public ResultFolder {
 protected:
  /// A file with so many rows of sin(t), one of which may have no value, and so many steps.
  void write_results(long rows, long steps, long gap = -1) {
    ResultHeader header = sample_header();
    header.model = "<img src=x onerror=alert(1)></script>";
    header.columns = {{"a<b", "m", "bodies", "</script><script>alert(2)</script>"}, {"c", "", "bodies", ""}};
    header.scene = R"({"schema": "trammel.scene/1"})";
    const auto writer = create_result_writer(path("r.h5"), header);
    for (long i = 0; i < rows; ++i) {
      const double t = 1e-3 * static_cast<double>(i);
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      writer->write_row(t, std::array{i == 777 ? 5.0 : std::sin(t), i == gap ? nothing : t});
    }
    for (long k = 0; k < steps; ++k) writer->write_step(std::array{k == 1234 ? 1e-9 : 1e-3, 0.5});
    writer->add_event("<b>touch</b>", 0.5);
    writer->finish(R"({"status": "completed"})");
  }
  PageReport write(const PageOptions& options = {}) {
    return write_result_page(ResultFile::open(path("r.h5")), kTemplate, path("page.html"), options);
  }
};

TEST_F(ResultPage, HoldsAllNumbersOfAShortRun) {
  write_results(200, 10);
  const PageReport report = write();
  EXPECT_EQ(report.rows, 200);
  EXPECT_TRUE(report.notes.empty());
  const Page page = read_page(path("page.html"));
  EXPECT_EQ(page.report["schema"], "trammel.report/1");
  EXPECT_EQ(page.report["rows_total"], 200);
  EXPECT_EQ(page.report["file"], "r.h5");
  EXPECT_EQ(page.report["summary"]["status"], "completed");
  EXPECT_EQ(page.report["scene"]["schema"], "trammel.scene/1");
  EXPECT_EQ(page.report["columns"][1]["max"], 0.199);
  EXPECT_EQ(page.values.size(), 200 * (8 + 2 * 4) + 10 * 2 * 8);
  for (const std::size_t row : {0, 7, 199}) {
    const double t = 1e-3 * static_cast<double>(row);
    EXPECT_EQ(page.time(row), t);
    EXPECT_NEAR(page.value(0, row), std::sin(t), 1e-7);
    EXPECT_NEAR(page.value(1, row), t, 1e-7);
  }
  EXPECT_EQ(page.step(0, 9), 1e-3);
  EXPECT_EQ(page.step(1, 9), 0.5);
  EXPECT_TRUE(page.text.ends_with("</script><script>run()</script></html>\n"));
}

TEST_F(ResultPage, MarkupInNamesStaysText) {
  write_results(10, 0);
  write();
  const Page page = read_page(path("page.html"));
  EXPECT_EQ(page.report_text.find('<'), std::string::npos);
  EXPECT_EQ(page.report["title"], "<img src=x onerror=alert(1)></script>");
  EXPECT_EQ(page.report["events"][0]["name"], "<b>touch</b>");
  EXPECT_EQ(page.text.find("alert(1)>"), page.text.find("alert(1)"));
  EXPECT_EQ(std::string::npos, page.text.find("<script>alert"));
}

TEST_F(ResultPage, KeepsSmallMotionsFarFromZeroAndWhatSinglePrecisionCannotHold) {
  ResultHeader header;
  header.columns = {{"far", "m", "bodies", ""}, {"huge", "", "bodies", ""}, {"tiny", "", "bodies", ""}};
  const auto writer = create_result_writer(path("r.h5"), header);
  for (int i = 0; i < 10; ++i) writer->write_row(i, std::array{1e7 + 1e-3 * i, 1e300 * (i - 4), 1e-300 * i});
  writer->finish("{}");
  EXPECT_TRUE(write().notes.empty());
  const Page page = read_page(path("page.html"));
  for (std::size_t i = 0; i < 10; ++i) {
    const auto k = static_cast<double>(i);
    EXPECT_NEAR(page.value(0, i), 1e7 + 1e-3 * k, 1e-8);
    EXPECT_NEAR(page.value(1, i), 1e300 * (k - 4), 1e294);
    EXPECT_NEAR(page.value(2, i), 1e-300 * k, 1e-306);
  }
}

TEST_F(ResultPage, LongRunsAreThinnedButKeepTheirExtremes) {
  write_results(5000, 5000);
  PageOptions options;
  options.most_rows = 100;
  options.most_steps = 50;
  const PageReport report = write(options);
  EXPECT_EQ(report.rows, 100);
  EXPECT_EQ(report.notes.size(), 2u);
  const Page page = read_page(path("page.html"));
  EXPECT_EQ(page.rows(), 100u);
  EXPECT_EQ(page.report["rows_total"], 5000);
  EXPECT_EQ(page.time(0), 0);
  EXPECT_EQ(page.time(99), 4.999);
  EXPECT_EQ(page.report["columns"][0]["max"], 5.0) << "a spike between the rows that were taken";
  EXPECT_EQ(page.report["steps"], 50);
  double least = 1;
  for (std::size_t k = 0; k < 50; ++k) least = std::min(least, page.step(0, k));
  EXPECT_EQ(least, 1e-9) << "the shortest step";
}

TEST_F(ResultPage, AreNotLargerThanAllowed) {
  write_results(5000, 0);
  PageOptions options;
  options.most_values = 500;
  EXPECT_EQ(write(options).rows, 250);
}

TEST_F(ResultPage, NamesColumnsWithoutAValue) {
  write_results(100, 0, 40);
  const PageReport report = write();
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0], "c has no finite value in 1 of 100 rows, first at t = 0.04 s");
  const Page page = read_page(path("page.html"));
  EXPECT_TRUE(std::isnan(page.value(1, 40)));
  EXPECT_EQ(page.report["notes"][0], report.notes[0]);
}

TEST_F(ResultPage, RefusesWhatCannotBeShown) {
  const auto writer = create_result_writer(path("r.h5"), sample_header());
  writer->finish("{}");
  EXPECT_THROW(write(), ResultFileError);
  EXPECT_FALSE(fs::exists(path("page.html")));
  EXPECT_FALSE(fs::exists(path("page.html.part")));

  const auto backwards = create_result_writer(path("r.h5"), sample_header());
  for (const double t : {0.0, 1.0, 0.5}) backwards->write_row(t, std::array{1.0, 2.0, 3.0, 4.0});
  backwards->finish("{}");
  EXPECT_THROW(write(), ResultFileError);
}

TEST_F(ResultPage, ATableWithoutASceneHasPlotsOnly) {
  std::ofstream(path("r.h5")) << "t,x\n0,1\n1,2\n";  // the contents tell the format
  write();
  const Page page = read_page(path("page.html"));
  EXPECT_TRUE(page.report["scene"].is_null());
  EXPECT_TRUE(page.report["summary"].is_null());
  EXPECT_EQ(page.value(0, 1), 2);
}

}  // namespace
}  // namespace trammel::io
