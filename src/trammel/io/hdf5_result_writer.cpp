#include "trammel/io/hdf5_result_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "trammel/io/hdf5_part_driver.h"
#include "trammel/io/result_file.h"

namespace trammel::io {
namespace {

using Clock = std::chrono::steady_clock;

/// Chunks of 16 columns and 256 rows are 32 KiB: reading one of a thousand columns reads 16 of them, and a short run
/// does not waste much. Wide tables get fewer rows a block, so that the rows in memory stay small.
///
/// Chunks are not compressed: on 1000 smooth columns of 100000 rows, deflate at level 1 (with shuffle) saved 20 % of
/// the file and took 14 s, where all the rest of the writing took 2 s. It would also move chunks that grow, so that a
/// killed program could leave a directory that points to what is elsewhere by then.
constexpr std::size_t kChunkColumns = 16;
constexpr std::size_t kMostBlockRows = 256;
constexpr std::size_t kLeastBlockRows = 32;
constexpr std::size_t kMostBlockValues = std::size_t{1} << 19;
constexpr std::size_t kEventBlockRows = 64;
constexpr std::size_t kEventNameSize = 128;  // [bytes]; longer names are cut

/// Pointers to chunks in a node of their tree: so many that it has at most two levels up to 50000 chunks (1.6 GB a
/// group), as hdf5_part_driver.h needs it, and so few that small files stay small (10 kB a table).
constexpr unsigned kChunkTreeWidth = 256;

/// Everything is brought to the disk at the latest after this time, and later if that takes more than 2 % of the run;
/// or after so many blocks.
constexpr Clock::duration kLongestWait = std::chrono::seconds(2);
constexpr int kStoreShare = 50;
constexpr int kMostWaitingBlocks = 16;

std::size_t choose_block_rows(std::size_t columns) {
  const std::size_t rows = std::bit_floor(kMostBlockValues / std::max<std::size_t>(columns, 1));
  return std::clamp(rows, kLeastBlockRows, kMostBlockRows);
}

/// A group that keeps the order of its attributes, which may be larger than 64 kB only if they are kept apart from it.
Hdf5Handle create_group(hid_t parent, const std::string& name, bool may_have_large_attributes = false) {
  const Hdf5Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  checked(H5Pset_attr_creation_order(properties.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  // No time stamps: equal runs give equal files.
  checked(H5Pset_obj_track_times(properties.id(), false));
  if (may_have_large_attributes) checked(H5Pset_attr_phase_change(properties.id(), 0, 0));
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose};
}

Hdf5Handle growing_dataset(hid_t parent, const char* name, hid_t type, int dimensions, hsize_t columns,
                           hsize_t block_rows) {
  const hsize_t start[] = {0, columns};
  const hsize_t limit[] = {H5S_UNLIMITED, columns};
  const hsize_t chunk[] = {block_rows, std::min<hsize_t>(columns, kChunkColumns)};
  const Hdf5Handle space(H5Screate_simple(dimensions, start, limit), H5Sclose);
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  checked(H5Pset_obj_track_times(properties.id(), false));
  checked(H5Pset_chunk(properties.id(), dimensions, chunk));
  if (H5Tget_class(type) == H5T_FLOAT) {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    checked(H5Pset_fill_value(properties.id(), H5T_NATIVE_DOUBLE, &nothing));
  }
  return {H5Dcreate2(parent, name, type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose};
}

/// Makes the dataset longer and writes the new rows.
void append_rows(hid_t dataset, hid_t memory_type, int dimensions, hsize_t columns, hsize_t first, hsize_t count,
                 const void* values) {
  const hsize_t extent[] = {first + count, columns};
  checked(H5Dset_extent(dataset, extent));
  const Hdf5Handle file_space(H5Dget_space(dataset), H5Sclose);
  const hsize_t offset[] = {first, 0};
  const hsize_t size[] = {count, columns};
  checked(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, offset, nullptr, size, nullptr));
  const Hdf5Handle memory_space(H5Screate_simple(dimensions, size, nullptr), H5Sclose);
  checked(H5Dwrite(dataset, memory_type, memory_space.id(), file_space.id(), H5P_DEFAULT, values));
}

void write_labels(hid_t group, const std::vector<Column>& columns) {
  std::vector<std::string> names, units, descriptions;
  for (const Column& column : columns) {
    names.push_back(column.name);
    units.push_back(column.unit);
    descriptions.push_back(column.description);
  }
  write_texts(group, "names", names);
  write_texts(group, "units", units);
  write_texts(group, "descriptions", descriptions);
}

std::vector<Column> pick(const std::vector<Column>& columns, const std::vector<std::size_t>& places) {
  std::vector<Column> picked;
  for (const std::size_t place : places) picked.push_back(columns[place]);
  return picked;
}

void write_order(hid_t group, const std::vector<std::size_t>& places) {
  const std::vector<int> order(places.begin(), places.end());
  const hsize_t n = order.size();
  const Hdf5Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Hdf5Handle dataset(H5Dcreate2(group, "order", H5T_STD_I32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
  checked(H5Dwrite(dataset.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, order.data()));
}

/// A number at a place in the file that is fixed from the beginning.
Hdf5Handle create_count(hid_t parent, const char* name) {
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  checked(H5Pset_obj_track_times(properties.id(), false));
  checked(H5Pset_layout(properties.id(), H5D_CONTIGUOUS));
  checked(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY));
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  return {H5Dcreate2(parent, name, H5T_STD_I64LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose};
}

}  // namespace

Hdf5Table::Hdf5Table(hid_t parent, const char* name, std::size_t columns, std::size_t block_rows, bool is_list)
    : dataset_(growing_dataset(parent, name, H5T_IEEE_F64LE, is_list ? 1 : 2, columns, block_rows)),
      columns_(columns),
      block_rows_(block_rows),
      is_list_(is_list) {
  buffer_.reserve(columns * block_rows);
}

std::span<double> Hdf5Table::add_row() {
  if (is_block_full()) {
    block_start_ += block_rows_;
    buffer_.clear();
  }
  buffer_.resize(buffer_.size() + columns_);
  return std::span(buffer_).last(columns_);
}

void Hdf5Table::store() {
  const hsize_t rows = block_start_ + buffer_.size() / columns_;
  if (rows == stored_) return;
  append_rows(dataset_.id(), H5T_NATIVE_DOUBLE, is_list_ ? 1 : 2, columns_, stored_, rows - stored_,
              buffer_.data() + (stored_ - block_start_) * columns_);
  stored_ = rows;
}

Hdf5ResultWriter::Hdf5ResultWriter(std::string path, const ResultHeader& header)
    : ResultWriter(std::move(path), header), stored_at_(Clock::now()) {
  const Hdf5Session session;
  try {
    create_file();
    write_header(header);
    create_tables(header);
    flush();
  } catch (const std::runtime_error& error) {
    close_handles();
    throw std::runtime_error(fmt::format("cannot write '{}': {}", this->path(), error.what()));
  }
}

Hdf5ResultWriter::~Hdf5ResultWriter() {
  const Hdf5Session session;
  try {
    if (!is_finished() && !has_failed()) store_all();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left to be told
  }
  close_handles();
}

void Hdf5ResultWriter::create_file() {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  use_part_driver(access.id(), part());
  // Of the formats that HDF5 1.8 reads, too, the later one: most of its directories have checksums, so that damage is
  // noticed instead of followed.
  checked(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18));
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  checked(H5Pget_mdc_config(access.id(), &cache));
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  checked(H5Pset_mdc_config(access.id(), &cache));
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  checked(H5Pset_attr_creation_order(creation.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  checked(H5Pset_istore_k(creation.id(), kChunkTreeWidth / 2));
  file_ = Hdf5Handle(H5Fcreate(part().temporary().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose);
}

void Hdf5ResultWriter::write_header(const ResultHeader& header) {
  const hid_t root = file_.id();
  write_text_attribute(root, "schema", fmt::format("{}{}", kResultSchema, kResultSchemaVersion));
  write_text_attribute(root, "program", "trammel");
  write_text_attribute(root, "version", header.version);
  write_text_attribute(root, "model", header.model);
  write_text_attribute(root, "method", header.method);
  write_number_attribute(root, "tolerance", header.tolerance);
  write_text_attribute(root, "created", header.created);
  const Hdf5Handle model = create_group(root, "model");
  write_text(model.id(), "source", header.source);
  if (!header.scene.empty()) write_text(model.id(), "scene", header.scene);
  const Hdf5Handle parameters = create_group(model.id(), "parameters");
  for (const auto& [name, value] : header.parameters) write_number_attribute(parameters.id(), name, value);
  const Hdf5Handle attributes = create_group(root, "attributes", true);
  for (const auto& [name, value] : header.attributes) write_text_attribute(attributes.id(), name, value);
}

void Hdf5ResultWriter::create_tables(const ResultHeader& header) {
  const hid_t root = file_.id();
  const std::size_t block_rows = choose_block_rows(header.columns.size());
  row_count_ = create_count(root, "rows");
  time_.emplace(root, "time", 1, block_rows, true);
  write_text_attribute(time_->id(), "unit", "s");
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    const std::string& name = header.columns[i].group;
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == name; });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), Group{name, {}, std::nullopt});
    group->sources.push_back(i);
  }
  for (Group& group : groups_) {
    const Hdf5Handle place = create_group(root, group.name);
    write_labels(place.id(), pick(header.columns, group.sources));
    write_order(place.id(), group.sources);
    group.table.emplace(place.id(), "values", group.sources.size(), block_rows);
  }
  if (!header.step_columns.empty()) {
    const Hdf5Handle place = create_group(root, "steps");
    write_labels(place.id(), header.step_columns);
    steps_.emplace(place.id(), "values", header.step_columns.size(), choose_block_rows(header.step_columns.size()));
  }
  if (!header.continuous.empty()) create_continuous(header);
  const Hdf5Handle events = create_group(root, "events");
  const Hdf5Handle type = string_type(kEventNameSize);
  event_names_ = growing_dataset(events.id(), "names", type.id(), 1, 1, kEventBlockRows);
  event_times_.emplace(events.id(), "times", 1, kEventBlockRows, true);
}

void Hdf5ResultWriter::create_continuous(const ResultHeader& header) {
  const Hdf5Handle place = create_group(file_.id(), "continuous");
  const std::size_t columns = header.continuous.size();
  write_labels(place.id(), pick(header.columns, header.continuous));
  write_order(place.id(), header.continuous);
  continuous_.emplace(Continuous{columns,
                                 {place.id(), "intervals", kIntervalNumbers, choose_block_rows(kIntervalNumbers)},
                                 {place.id(), "nodes", columns, choose_block_rows(columns)},
                                 create_count(place.id(), "count")});
}

void Hdf5ResultWriter::append_row(double t, std::span<const double> values) {
  time_->add_row()[0] = t;
  for (Group& group : groups_) {
    const std::span<double> row = group.table->add_row();
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = values[group.sources[i]];
  }
  ++rows_;
  if (time_->is_block_full()) store_block([this] { store_rows(); });
  if (is_time_to_store()) store_all();
}

void Hdf5ResultWriter::append_step(std::span<const double> values) {
  if (!steps_) return;
  std::copy(values.begin(), values.end(), steps_->add_row().begin());
  if (steps_->is_block_full()) store_block([this] { steps_->store(); });
  if (is_time_to_store()) store_all();
}

void Hdf5ResultWriter::append_interval(const ContinuousInterval& interval, bool shares,
                                       std::span<const double> values) {
  Continuous& c = *continuous_;
  for (; !values.empty(); values = values.subspan(c.columns)) {
    std::copy_n(values.begin(), c.columns, c.nodes.add_row().begin());
    if (c.nodes.is_block_full()) store_block([&] { c.nodes.store(); });
  }
  const long first = c.next_node - (shares ? 1 : 0);
  const std::array<double, kIntervalNumbers> numbers{interval.begin, interval.end, static_cast<double>(first),
                                                     static_cast<double>(interval.degree)};
  std::copy(numbers.begin(), numbers.end(), c.intervals.add_row().begin());
  if (c.intervals.is_block_full()) store_block([&] { c.intervals.store(); });
  c.next_node = first + interval.degree + 1;
  ++c.written_intervals;
  if (is_time_to_store()) store_all();
}

template <class Store>
void Hdf5ResultWriter::store_block(const Store& store) {
  const Hdf5Session session;
  store();
  check_written();
  ++waiting_blocks_;
}

void Hdf5ResultWriter::append_event(const std::string& name, double t) {
  waiting_events_.push_back({name, t});
  if (waiting_events_.size() < kEventBlockRows) return;
  const Hdf5Session session;
  store_events();
}

bool Hdf5ResultWriter::is_time_to_store() const {
  return waiting_blocks_ >= kMostWaitingBlocks ||
         Clock::now() - stored_at_ >= std::max(kLongestWait, kStoreShare * store_duration_);
}

void Hdf5ResultWriter::store_rows() {
  for (Group& group : groups_) group.table->store();
  time_->store();
}

void Hdf5ResultWriter::store_intervals() {
  if (!continuous_) return;
  continuous_->nodes.store();
  continuous_->intervals.store();
}

void Hdf5ResultWriter::store_events() {
  if (waiting_events_.empty()) return;
  std::vector<std::string> names;
  for (const WaitingEvent& event : waiting_events_) names.push_back(event.name);
  const Hdf5Handle type = string_type(kEventNameSize);
  append_rows(event_names_.id(), type.id(), 1, 1, stored_events_, names.size(),
              pad_texts(names, kEventNameSize).data());
  for (const WaitingEvent& event : waiting_events_) {
    event_times_->add_row()[0] = event.t;
    if (event_times_->is_block_full()) event_times_->store();
  }
  event_times_->store();
  stored_events_ += names.size();
  waiting_events_.clear();
}

void Hdf5ResultWriter::flush() {
  checked(H5Fflush(file_.id(), H5F_SCOPE_LOCAL));
  check_written();
  // Only now may a reader take these rows and intervals for complete.
  const auto write_count = [](const Hdf5Handle& dataset, const long& count) {
    checked(H5Dwrite(dataset.id(), H5T_NATIVE_LONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count));
  };
  write_count(row_count_, rows_);
  if (continuous_) write_count(continuous_->count, continuous_->written_intervals);
  checked(H5Fflush(file_.id(), H5F_SCOPE_LOCAL));
  check_written();
}

void Hdf5ResultWriter::check_written() {
  if (const std::string reason = part().write_error(); !reason.empty()) throw std::runtime_error(reason);
}

void Hdf5ResultWriter::store_all() {
  const Hdf5Session session;
  const Clock::time_point begin = Clock::now();
  store_rows();
  if (steps_) steps_->store();
  store_intervals();
  store_events();
  flush();
  waiting_blocks_ = 0;
  stored_at_ = Clock::now();
  store_duration_ = stored_at_ - begin;
}

void Hdf5ResultWriter::close(const std::string& summary) {
  const Hdf5Session session;
  store_all();
  write_text(file_.id(), "summary", summary);
  flush();
  if (!close_handles()) throw_hdf5_error();
  check_written();
}

void Hdf5ResultWriter::abandon() noexcept {
  const Hdf5Session session;
  close_handles();
  // The last block may have been lost or not.
  try {
    stored_rows_ = ResultFile::open(part().temporary()).rows();
  } catch (const std::exception&) {
    stored_rows_ = 0;
  }
}

bool Hdf5ResultWriter::close_handles() noexcept {
  time_.reset();
  groups_.clear();
  steps_.reset();
  continuous_.reset();
  row_count_.reset();
  event_names_.reset();
  event_times_.reset();
  return file_.reset();
}

}  // namespace trammel::io
