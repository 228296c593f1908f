#pragma once

// Results as an HDF5 file, readable with h5py, MATLAB, Julia and whatever else knows HDF5. The layout,
// "trammel.results/1":
//
//   /                     attributes schema, program, version, model, method, tolerance, created
//   /rows                 int, number of rows that are complete; less than there are when the program was killed
//   /time                 double[rows], attribute unit = "s"
//   /<group>/values       double[rows, columns], one column of it a Column of that group
//   /<group>/names        string[columns], and likewise units and descriptions
//   /<group>/order        int[columns], place of the column among all columns of the file, from 0
//   /steps/...            values, names, units, descriptions of the history of steps, if there is one
//   /continuous/...       the continuous solution, if it was asked for (continuous_contents.h):
//     names, units, descriptions, order   of its columns, as for a group
//     intervals           double[intervals, 4]: begin and end [s], place of the first node, degree
//     nodes               double[nodes, columns], values at the nodes of the intervals
//     count               int, number of intervals that are complete, as rows
//   /events/names, times  string[events], double[events]
//   /model/source         string, the model as the user wrote it
//   /model/scene          string, JSON, what to draw of it (scene.h); where that is known
//   /model/parameters     attributes: the parameters (double)
//   /attributes           attributes: the free attributes (string)
//   /summary              string, JSON about the run; only in a file that was finished
//
// One table a group, and not a dataset a column: thousands of columns stay fast, and a reader gets a group in one go.
// Tables are stored in chunks of a few columns, so that reading one column need not touch them all.
//
// What is on the disk is brought up to date every few seconds (H5Fflush); between that, the library may not write its
// directories (metadata) on its own, so that a program that is killed leaves the state of the last time.

#include <chrono>
#include <optional>

#include "trammel/io/hdf5_objects.h"
#include "trammel/io/result_writer.h"

namespace trammel::io {

inline constexpr const char* kResultSchema = "trammel.results/";
inline constexpr int kResultSchemaVersion = 1;
inline constexpr std::size_t kIntervalNumbers = 4;  ///< that describe an interval of the continuous solution

/// A dataset of doubles that grows by rows, gathered in memory until a block is full.
class Hdf5Table {
 public:
  /// With a place for each of `columns` values; a table with one dimension instead of two when `is_list`.
  Hdf5Table(hid_t parent, const char* name, std::size_t columns, std::size_t block_rows, bool is_list = false);

  /// Room for the next row, to be filled by the caller.
  std::span<double> add_row();
  bool is_block_full() const { return buffer_.size() == block_rows_ * columns_; }
  /// Writes the rows that are not yet in the file.
  void store();
  hid_t id() const { return dataset_.id(); }

 private:
  Hdf5Handle dataset_;
  std::size_t columns_;
  std::size_t block_rows_;
  bool is_list_;
  std::vector<double> buffer_;  ///< the rows of the present block
  hsize_t block_start_ = 0;     ///< row at which it begins
  hsize_t stored_ = 0;          ///< rows in the file
};

class Hdf5ResultWriter final : public ResultWriter {
 public:
  Hdf5ResultWriter(std::string path, const ResultHeader& header);
  ~Hdf5ResultWriter() override;
  Hdf5ResultWriter(const Hdf5ResultWriter&) = delete;
  Hdf5ResultWriter& operator=(const Hdf5ResultWriter&) = delete;

 private:
  struct Group {
    std::string name;
    std::vector<std::size_t> sources;  ///< places of its columns in a row
    std::optional<Hdf5Table> table;
  };
  struct Continuous {
    std::size_t columns;
    Hdf5Table intervals, nodes;
    Hdf5Handle count;
    long written_intervals = 0, next_node = 0;
  };
  struct WaitingEvent {
    std::string name;
    double t;
  };

  void append_row(double t, std::span<const double> values) override;
  void append_step(std::span<const double> values) override;
  void append_interval(const ContinuousInterval& interval, bool shares, std::span<const double> values) override;
  void append_event(const std::string& name, double t) override;
  void close(const std::string& summary) override;
  void abandon() noexcept override;
  long stored_rows() const override { return stored_rows_; }

  void create_file();
  void write_header(const ResultHeader& header);
  void create_tables(const ResultHeader& header);
  void create_continuous(const ResultHeader& header);
  template <class Store>
  void store_block(const Store& store);
  bool is_time_to_store() const;
  void store_rows();
  void store_intervals();
  void store_events();
  void store_all();
  /// Completes what is on the disk; throws when it did not get there.
  void flush();
  void check_written();
  bool close_handles() noexcept;

  Hdf5Handle file_;
  std::optional<Hdf5Table> time_;
  std::vector<Group> groups_;
  std::optional<Hdf5Table> steps_;
  std::optional<Continuous> continuous_;
  Hdf5Handle event_names_;
  std::optional<Hdf5Table> event_times_;
  std::vector<WaitingEvent> waiting_events_;
  hsize_t stored_events_ = 0;
  Hdf5Handle row_count_;
  long rows_ = 0;
  int waiting_blocks_ = 0;  ///< full ones since everything was brought to the disk
  long stored_rows_ = 0;    ///< after a failure
  std::chrono::steady_clock::time_point stored_at_;
  std::chrono::steady_clock::duration store_duration_{};  ///< of the last time that everything was stored
};

}  // namespace trammel::io
