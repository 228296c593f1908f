#include "trammel/io/hdf5_result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "trammel/io/hdf5_objects.h"
#include "trammel/io/hdf5_result_writer.h"

namespace trammel::io {
namespace {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Extent {
  hsize_t first_row, first_column, rows, columns;
};

void read_rectangle(hid_t dataset, const Extent& extent, double* values) {
  if (extent.rows == 0 || extent.columns == 0) return;
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const hsize_t offset[] = {extent.first_row, extent.first_column};
  const hsize_t size[] = {extent.rows, extent.columns};
  checked(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, offset, nullptr, size, nullptr));
  const hsize_t count = extent.rows * extent.columns;
  const Hdf5Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  checked(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values));
}

class Hdf5Columns final : public ResultColumns {
 public:
  struct Table {
    Hdf5Handle dataset;
    hsize_t rows = 0;
    std::vector<std::size_t> order;  ///< place among all columns
  };
  struct Place {
    std::size_t table;
    hsize_t column;
  };

  explicit Hdf5Columns(Hdf5Handle file) : file_(std::move(file)) {}
  ~Hdf5Columns() override {
    const Hdf5Session session;
    tables_.clear();
    steps_ = {};
    nodes_ = {};
    file_ = {};
  }
  Hdf5Columns(const Hdf5Columns&) = delete;
  Hdf5Columns& operator=(const Hdf5Columns&) = delete;

  Eigen::MatrixXd read(std::span<const std::size_t> columns, long first, long count) const override;
  Eigen::MatrixXd read_steps(long first, long count) const override;
  Eigen::MatrixXd read_nodes(std::span<const std::size_t> columns, long first, long count) const override;

  hid_t file() const { return file_.id(); }
  /// Reads the directory of the file.
  void read_contents(ResultContents& contents);

 private:
  void read_header(ResultHeader& header) const;
  void read_tables(ResultHeader& header);
  void read_time(ResultContents& contents) const;
  void read_events(ResultContents& contents) const;
  void read_continuous(ResultContents& contents);

  Hdf5Handle file_;
  std::vector<Table> tables_;
  std::vector<Place> places_;  ///< of each column of the header
  Table steps_;
  Hdf5Handle nodes_;
};

/// `count` rows of columns that `place(i)` finds in some dataset; neighbours in the file are read in one go.
template <class FindPlace>
Eigen::MatrixXd read_columns(std::size_t columns, const FindPlace& place, long first, long count) {
  Eigen::MatrixXd result(count, static_cast<Eigen::Index>(columns));
  for (std::size_t begin = 0; begin < columns;) {
    const auto [dataset, column] = place(begin);
    std::size_t end = begin + 1;
    while (end < columns && place(end) == std::pair<hid_t, hsize_t>{dataset, column + (end - begin)}) ++end;
    RowMajorMatrix part(count, static_cast<Eigen::Index>(end - begin));
    read_rectangle(dataset, {static_cast<hsize_t>(first), column, static_cast<hsize_t>(count), end - begin},
                   part.data());
    result.middleCols(static_cast<Eigen::Index>(begin), part.cols()) = part;
    begin = end;
  }
  return result;
}

Eigen::MatrixXd Hdf5Columns::read(std::span<const std::size_t> columns, long first, long count) const {
  const Hdf5Session session;
  const auto place = [&](std::size_t i) {
    const Place& p = places_[columns[i]];
    return std::pair<hid_t, hsize_t>{tables_[p.table].dataset.id(), p.column};
  };
  return read_columns(columns.size(), place, first, count);
}

Eigen::MatrixXd Hdf5Columns::read_nodes(std::span<const std::size_t> columns, long first, long count) const {
  const Hdf5Session session;
  const auto place = [&](std::size_t i) { return std::pair<hid_t, hsize_t>{nodes_.id(), columns[i]}; };
  return read_columns(columns.size(), place, first, count);
}

Eigen::MatrixXd Hdf5Columns::read_steps(long first, long count) const {
  const Hdf5Session session;
  if (!steps_.dataset) return {};
  RowMajorMatrix values(count, static_cast<Eigen::Index>(steps_.order.size()));
  read_rectangle(steps_.dataset.id(),
                 {static_cast<hsize_t>(first), 0, static_cast<hsize_t>(count), steps_.order.size()}, values.data());
  return values;
}

void Hdf5Columns::read_contents(ResultContents& contents) {
  read_header(contents.header);
  read_tables(contents.header);
  contents.is_finished = has_link(file(), "summary");
  if (contents.is_finished) contents.summary = read_text(file(), "summary");
  contents.steps = static_cast<long>(steps_.rows);
  read_time(contents);
  read_continuous(contents);
  read_events(contents);
}

void Hdf5Columns::read_header(ResultHeader& header) const {
  header.version = read_text_attribute(file(), "version");
  header.model = read_text_attribute(file(), "model");
  header.method = read_text_attribute(file(), "method");
  header.tolerance = read_number_attribute(file(), "tolerance");
  header.created = read_text_attribute(file(), "created");
  header.source = read_text(file(), "model/source");
  if (has_link(file(), "model/scene")) header.scene = read_text(file(), "model/scene");
  const Hdf5Handle parameters = open_group(file(), "model/parameters");
  for (const std::string& name : attribute_names(parameters.id())) {
    header.parameters.emplace_back(name, read_number_attribute(parameters.id(), name));
  }
  const Hdf5Handle attributes = open_group(file(), "attributes");
  for (const std::string& name : attribute_names(attributes.id())) {
    header.attributes.emplace_back(name, read_text_attribute(attributes.id(), name));
  }
}

/// The columns of a table, with their labels; all lists must fit the table.
std::vector<Column> read_labels(hid_t group, const std::string& name, std::size_t count) {
  const std::vector<std::string> names = read_texts(group, "names");
  const std::vector<std::string> units = read_texts(group, "units");
  const std::vector<std::string> descriptions = read_texts(group, "descriptions");
  if (names.size() != count || units.size() != count || descriptions.size() != count) {
    throw std::runtime_error(fmt::format("the labels of '{}' do not fit its columns", name));
  }
  std::vector<Column> columns;
  for (std::size_t i = 0; i < count; ++i) columns.push_back({names[i], units[i], name, descriptions[i]});
  return columns;
}

std::vector<std::size_t> read_order(hid_t group, const std::string& name, std::size_t count) {
  const Hdf5Handle dataset = open_dataset(group, "order");
  if (extents(dataset.id()) != std::vector<hsize_t>{count, 1}) {
    throw std::runtime_error(fmt::format("the order of '{}' does not fit its columns", name));
  }
  std::vector<unsigned> order(count);
  if (count > 0) checked(H5Dread(dataset.id(), H5T_NATIVE_UINT, H5S_ALL, H5S_ALL, H5P_DEFAULT, order.data()));
  return {order.begin(), order.end()};
}

bool is_group(hid_t parent, const std::string& name) {
  H5O_info_t info{};
  checked(H5Oget_info_by_name(parent, name.c_str(), &info, H5P_DEFAULT));
  return info.type == H5O_TYPE_GROUP;
}

/// A whole number that is stored as a double; what is none becomes -1.
long as_index(double value) {
  return value >= 0 && value < 1e9 && value == std::floor(value) ? static_cast<long>(value) : -1;
}

void Hdf5Columns::read_tables(ResultHeader& header) {
  std::vector<std::vector<Column>> labels;
  for (const std::string& name : link_names(file())) {
    if (name == "rows" || name == "time" || name == "summary" || name == "model" || name == "attributes" ||
        name == "events" || name == "continuous")
      continue;
    // What others have added to the file is none of ours.
    const std::string values = name + "/values";
    if (!is_group(file(), name) || !has_link(file(), values)) continue;
    const Hdf5Handle group = open_group(file(), name);
    Table table;
    table.dataset = open_dataset(file(), values);
    const std::vector<hsize_t> sizes = extents(table.dataset.id());
    table.rows = sizes[0];
    std::vector<Column> columns = read_labels(group.id(), name, sizes[1]);
    if (name == "steps") {
      header.step_columns = std::move(columns);
      for (Column& column : header.step_columns) column.group.clear();
      table.order.resize(header.step_columns.size());
      steps_ = std::move(table);
      continue;
    }
    table.order = read_order(group.id(), name, sizes[1]);
    places_.resize(places_.size() + columns.size(), Place{SIZE_MAX, 0});
    tables_.push_back(std::move(table));
    labels.push_back(std::move(columns));
  }
  header.columns.resize(places_.size());
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    for (std::size_t j = 0; j < labels[i].size(); ++j) {
      const std::size_t place = tables_[i].order[j];
      if (place >= places_.size() || places_[place].table != SIZE_MAX) {
        throw std::runtime_error("the order of its columns does not fit");
      }
      places_[place] = {i, j};
      header.columns[place] = std::move(labels[i][j]);
    }
  }
}

/// A number of rows that are complete. A program that was killed while it stored a block may have left more.
hsize_t read_count(hid_t file, const char* name) {
  long long count = 0;
  const Hdf5Handle dataset = open_dataset(file, name);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  if (checked(H5Sget_simple_extent_npoints(space.id())) != 1) {
    throw std::runtime_error(fmt::format("'{}' in it is not one number", name));
  }
  checked(H5Dread(dataset.id(), H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count));
  return static_cast<hsize_t>(std::max(count, 0LL));
}

void Hdf5Columns::read_time(ResultContents& contents) const {
  const hsize_t rows = read_count(file(), "rows");
  const Hdf5Handle dataset = open_dataset(file(), "time");
  const auto fits = [&](hsize_t there) { return contents.is_finished ? there == rows : there >= rows; };
  bool all_fit = fits(extents(dataset.id())[0]);
  for (const Table& table : tables_) all_fit = all_fit && fits(table.rows);
  if (!all_fit) throw std::runtime_error("its tables have unequal numbers of rows");
  contents.time.resize(rows);
  read_rectangle(dataset.id(), {0, 0, rows, 1}, contents.time.data());
}

void Hdf5Columns::read_continuous(ResultContents& contents) {
  if (!has_link(file(), "continuous") || !is_group(file(), "continuous")) return;
  // A group of others may have the same name.
  if (!has_link(file(), "continuous/nodes") && !has_link(file(), "continuous/intervals")) return;
  const Hdf5Handle group = open_group(file(), "continuous");
  nodes_ = open_dataset(group.id(), "nodes");
  const std::vector<hsize_t> sizes = extents(nodes_.id());
  ContinuousContents& continuous = contents.continuous;
  continuous.columns = read_order(group.id(), "continuous", sizes[1]);
  const std::vector<Column> labels = read_labels(group.id(), "continuous", sizes[1]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t place = continuous.columns[i];
    if (place < contents.header.columns.size() && contents.header.columns[place].name == labels[i].name) continue;
    throw std::runtime_error("the columns of its continuous solution are not those of its tables");
  }
  const Hdf5Handle dataset = open_dataset(group.id(), "intervals");
  const std::vector<hsize_t> shape = extents(dataset.id());
  const hsize_t count = read_count(file(), "continuous/count");
  if (shape[1] != kIntervalNumbers || (contents.is_finished ? shape[0] != count : shape[0] < count)) {
    throw std::runtime_error("the intervals of its continuous solution do not fit their number");
  }
  RowMajorMatrix numbers(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(kIntervalNumbers));
  read_rectangle(dataset.id(), {0, 0, count, kIntervalNumbers}, numbers.data());
  for (const auto& row : numbers.rowwise()) {
    continuous.intervals.push_back({row[0], row[1], static_cast<int>(as_index(row[3])), as_index(row[2])});
  }
  if (const std::string problem = find_problem(continuous.intervals, static_cast<long>(sizes[0])); !problem.empty()) {
    throw std::runtime_error(problem);
  }
  contents.header.continuous = continuous.columns;
}

void Hdf5Columns::read_events(ResultContents& contents) const {
  const std::vector<std::string> names = read_texts(file(), "events/names");
  const Hdf5Handle dataset = open_dataset(file(), "events/times");
  const std::size_t n = std::min<std::size_t>(names.size(), extents(dataset.id())[0]);
  std::vector<double> times(n);
  read_rectangle(dataset.id(), {0, 0, n, 1}, times.data());
  for (std::size_t i = 0; i < n; ++i) contents.events.push_back({names[i], times[i]});
}

void check_schema(hid_t file) {
  const std::string_view prefix = kResultSchema;
  const std::string schema = has_attribute(file, "schema") ? read_text_attribute(file, "schema") : "";
  if (!schema.starts_with(prefix)) throw ResultFileProblem("is not a Trammel result file");
  int version = 0;
  std::from_chars(schema.data() + prefix.size(), schema.data() + schema.size(), version);
  if (version > kResultSchemaVersion) {
    throw ResultFileProblem(fmt::format("was written by a newer version of Trammel ({})", schema));
  }
  if (version < 1) throw ResultFileProblem(fmt::format("is damaged: its schema is '{}'", schema));
}

}  // namespace

std::optional<unsigned long long> stored_hdf5_size(const std::string& beginning) {
  // The superblock: signature (8 bytes), version, and the end of the file at a place that depends on the version.
  constexpr std::size_t kVersionAt = 8;
  if (beginning.size() <= kVersionAt) return std::nullopt;
  const std::size_t at = beginning[kVersionAt] == 0 ? 40 : beginning[kVersionAt] == 1 ? 44 : 28;
  if (beginning.size() < at + 8) return std::nullopt;
  unsigned long long size = 0;
  for (std::size_t i = 8; i-- > 0;) size = size << 8U | static_cast<unsigned char>(beginning[at + i]);
  return size;
}

std::unique_ptr<ResultColumns> open_hdf5_results(const std::string& path, ResultContents& contents) {
  const Hdf5Session session;
  try {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // A file that is being written may be looked at, too.
    checked(H5Pset_file_locking(access.id(), false, true));
    auto columns =
        std::make_unique<Hdf5Columns>(Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose));
    check_schema(columns->file());
    columns->read_contents(contents);
    return columns;
  } catch (const ResultFileProblem&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw ResultFileProblem(fmt::format("is damaged: {}", error.what()));
  }
}

}  // namespace trammel::io
