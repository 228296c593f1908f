// Nothing that happens to a run or to its disk loses what was there before, or crashes.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <functional>
#include <stdexcept>

#include "tests/io/result_samples.h"

namespace trammel::io {
namespace {

class ResultSafety : public ResultFolder {
 protected:
  /// The message with which something is refused.
  template <class Error, class Function>
  static std::string refusal(const Function& function) {
    try {
      function();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  static std::string refusal_of(const std::string& path) {
    return refusal<std::runtime_error>([&] { create_result_writer(path, sample_header()); });
  }
  static std::string refusal_of(const ResultHeader& header, const std::string& path) {
    return refusal<std::invalid_argument>([&] { create_result_writer(path, header); });
  }
  std::ptrdiff_t file_count() const { return std::distance(fs::directory_iterator(folder_), {}); }

  /// Runs a function in a process of its own and returns its status: 0 when it returned true.
  static int run_apart(const std::function<bool()>& function) {
    const pid_t child = fork();
    if (child == 0) _exit(function() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
};

constexpr std::array kFormats{"a.h5", "a.csv"};

TEST_F(ResultSafety, AnExistingFileIsKeptUntilTheNewOneIsComplete) {
  for (const char* name : kFormats) {
    write_text_file(path(name), "precious");
    const auto writer = create_result_writer(path(name), sample_header());
    write_sample_rows(*writer, 4, 0, 10);
    EXPECT_EQ(read_text_file(path(name)), "precious");
    EXPECT_TRUE(fs::exists(path(name) + ".part"));
    writer->finish("{}");
    EXPECT_EQ(writer->rows(), 10);
    EXPECT_FALSE(fs::exists(path(name) + ".part"));
    EXPECT_EQ(ResultFile::open(path(name)).rows(), 10);
  }
}

TEST_F(ResultSafety, ASymbolicLinkIsWrittenThrough) {
  fs::create_directory(path("far"));
  fs::create_symlink("far/data.csv", path("near.csv"));  // to nothing yet
  fs::create_symlink("near.csv", path("nearer.csv"));
  for (int rows : {3, 5}) {
    const auto writer = create_result_writer(path("nearer.csv"), sample_header());
    EXPECT_TRUE(fs::exists(path("far/data.csv.part")));
    write_sample_rows(*writer, 4, 0, rows);
    writer->finish("{}");
    EXPECT_TRUE(fs::is_symlink(path("nearer.csv")));
    EXPECT_TRUE(fs::is_symlink(path("near.csv")));
    EXPECT_FALSE(fs::is_symlink(path("far/data.csv")));
    EXPECT_EQ(ResultFile::open(path("near.csv")).rows(), rows);
  }
}

TEST_F(ResultSafety, ARunThatIsAbandonedLeavesItsRowsInThePart) {
  for (const char* name : kFormats) {
    write_text_file(path(name), "precious");
    {
      const auto writer = create_result_writer(path(name), sample_header());
      write_sample_rows(*writer, 4, 0, 300);
      writer->add_event("last", 0.3);
    }
    EXPECT_EQ(read_text_file(path(name)), "precious");
    const ResultFile file = ResultFile::open(path(name) + ".part");
    EXPECT_EQ(file.rows(), 300);
    EXPECT_EQ(file.read_column("crank.y").at(299), sample_value(2, 299));
  }
  const ResultFile file = ResultFile::open(path("a.h5.part"));
  EXPECT_FALSE(file.is_finished());
  EXPECT_EQ(file.summary(), "");
  EXPECT_EQ(file.events().size(), 1u);
}

TEST_F(ResultSafety, ARunWithoutRowsLeavesNothing) {
  for (const char* name : kFormats) create_result_writer(path(name), sample_header());
  EXPECT_EQ(file_count(), 0);
}

TEST_F(ResultSafety, AKilledRunLeavesWhatItHad) {
  for (const char* name : kFormats) {
    const std::string part = path(name) + ".part";
    for (int i = 0; i < 5; ++i) {
      fs::remove(part);
      const pid_t child = fork();
      if (child == 0) {
        const auto writer = create_result_writer(path(name), sample_header());
        for (long row = 0;; ++row) {
          write_sample_rows(*writer, 4, row, 1);
          writer->write_step(std::vector<double>{0.01, 0.5});
        }
      }
      constexpr std::uintmax_t kFirstBlocks = 1 << 20;
      while (!fs::exists(part) || fs::file_size(part) < kFirstBlocks) usleep(100);
      usleep(static_cast<useconds_t>(1100 * i));
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      ASSERT_EQ(problem_of(part), "");
      const ResultFile file = ResultFile::open(part);
      EXPECT_GE(file.rows(), 4096);
      const std::vector<double> angle = file.read_column("crank.angle");
      for (long row = 0; row < file.rows(); ++row) {
        ASSERT_EQ(angle[static_cast<std::size_t>(row)], sample_value(3, row)) << row << " of " << file.rows();
        ASSERT_EQ(file.time()[static_cast<std::size_t>(row)], sample_time(row)) << row << " of " << file.rows();
      }
    }
  }
}

TEST_F(ResultSafety, AFileThatIsBeingWrittenCanBeRead) {
  for (const char* name : kFormats) {
    const auto writer = create_result_writer(path(name), sample_header());
    write_sample_rows(*writer, 4, 0, 20000);
    const ResultFile file = ResultFile::open(path(name) + ".part");
    EXPECT_GT(file.rows(), 10000);
    writer->finish("{}");
  }
}

TEST_F(ResultSafety, TwoRunsDoNotWriteTheSameFile) {
  for (const char* name : kFormats) {
    const auto writer = create_result_writer(path(name), sample_header());
    write_sample_rows(*writer, 4, 0, 300);
    EXPECT_EQ(refusal_of(path(name)), "cannot write '" + path(name) + "': another run is writing it");
    writer->finish("{}");
    EXPECT_EQ(ResultFile::open(path(name)).rows(), 300);
  }
}

TEST_F(ResultSafety, ManyFilesAreWrittenSideBySide) {
  std::vector<std::unique_ptr<ResultWriter>> writers;
  for (int i = 0; i < 20; ++i) {
    writers.push_back(create_result_writer(path("a" + std::to_string(i) + ".h5"), sample_header()));
  }
  for (long row = 0; row < 600; ++row) {
    for (const auto& writer : writers) write_sample_rows(*writer, 4, row, 1);
  }
  for (const auto& writer : writers) writer->finish("{}");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ResultFile::open(path("a" + std::to_string(i) + ".h5")).rows(), 600);
}

TEST_F(ResultSafety, PlacesThatCannotBeWrittenAreSaid) {
  EXPECT_EQ(refusal_of("/nosuch/x.h5"), "cannot write '/nosuch/x.h5': No such file or directory");
  EXPECT_EQ(refusal_of("/nosuch/x.csv"), "cannot write '/nosuch/x.csv': No such file or directory");
  EXPECT_NE(refusal_of("/proc/x.h5").find("cannot write '/proc/x.h5': "), std::string::npos);
  write_text_file(path("file"), "");
  EXPECT_NE(refusal_of(path("file/x.h5")).find("Not a directory"), std::string::npos);
  EXPECT_NE(refusal_of(path(std::string(300, 'x') + ".h5")).find("File name too long"), std::string::npos);
  for (const char* name : kFormats) {
    fs::create_directory(path(name));
    EXPECT_EQ(refusal_of(path(name)), "cannot write '" + path(name) + "': it is a folder");
  }
  EXPECT_EQ(file_count(), 3) << "no temporary file is left";
  EXPECT_EQ(refusal_of(sample_header(), "x.txt"),
            "'x.txt' has no known format: results are written as .h5, .hdf5 or .csv");
}

TEST_F(ResultSafety, AFullDiskIsSaidAndWhatFitsIsKept) {
  for (const char* name : kFormats) {
    for (const rlim_t limit : {10, 1000, 20000, 40000, 300000, 300001, 800000}) {
      const std::string message_file = path("message");
      const int status = run_apart([&] {
        // A limit on the size of files fails like a full disk does.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit at_most{limit, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &at_most);
        std::string message = "nothing was thrown";
        try {
          const auto writer = create_result_writer(path(name), sample_header());
          write_sample_rows(*writer, 4, 0, 20000);
          if (!writer->has_failed()) message = "has_failed() is false";
          writer->finish("{}");
        } catch (const std::runtime_error& error) {
          message = error.what();
        }
        const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &none);
        write_text_file(message_file, message);
        return true;
      });
      EXPECT_EQ(status, 0) << name << " " << limit;
      const std::string message = read_text_file(message_file);
      EXPECT_NE(message.find("File too large"), std::string::npos) << message;
      EXPECT_NE(message.find(path(name)), std::string::npos) << message;
      EXPECT_FALSE(fs::exists(path(name)));
      if (limit < 300000) continue;
      const ResultFile file = ResultFile::open(path(name) + ".part");
      EXPECT_GT(file.rows(), 500);
      EXPECT_NE(message.find("the first " + std::to_string(file.rows()) + " rows are in"), std::string::npos)
          << message;
      EXPECT_EQ(file.read_column("crank.y").back(), sample_value(2, file.rows() - 1));
    }
  }
}

TEST_F(ResultSafety, ATargetThatBecomesAFolderIsSaid) {
  for (const char* name : kFormats) {
    const auto writer = create_result_writer(path(name), sample_header());
    write_sample_rows(*writer, 4, 0, 10);
    fs::create_directory(path(name));
    const std::string message = refusal<std::runtime_error>([&] { writer->finish("{}"); });
    EXPECT_NE(message.find("Is a directory; the first 10 rows are in '" + path(name) + ".part'"), std::string::npos)
        << message;
    EXPECT_EQ(ResultFile::open(path(name) + ".part").rows(), 10);
  }
}

TEST_F(ResultSafety, MisuseIsAnException) {
  for (const char* name : kFormats) {
    const auto writer = create_result_writer(path(name), sample_header());
    EXPECT_THROW(writer->write_row(0, std::array{1.0}), std::invalid_argument);
    EXPECT_THROW(writer->write_step(std::array{1.0}), std::invalid_argument);
    write_sample_rows(*writer, 4, 0, 1);
    writer->finish("{}");
    EXPECT_THROW(writer->finish("{}"), std::logic_error);
    EXPECT_THROW(write_sample_rows(*writer, 4, 1, 1), std::logic_error);
    EXPECT_EQ(ResultFile::open(path(name)).rows(), 1);
  }
}

TEST_F(ResultSafety, HeadersThatDoNotFitAreRefused) {
  const auto with = [](const Column& column) {
    ResultHeader header = sample_header();
    header.columns.push_back(column);
    return header;
  };
  EXPECT_NE(refusal_of(with({"crank.x", "", "bodies", ""}), path("a.h5")).find("two columns are called 'crank.x'"),
            std::string::npos);
  EXPECT_NE(refusal_of(with({"t", "s", "bodies", ""}), path("a.csv")).find("the name of time"), std::string::npos);
  EXPECT_NE(refusal_of(with({"", "", "bodies", ""}), path("a.csv")).find("has no name"), std::string::npos);
  EXPECT_NE(refusal_of(with({"x", "", "", ""}), path("a.h5")).find("the group ''"), std::string::npos);
  EXPECT_NE(refusal_of(with({"x", "", "a/b", ""}), path("a.h5")).find("the group 'a/b'"), std::string::npos);
  EXPECT_NE(refusal_of(with({"x", "", "model", ""}), path("a.h5")).find("taken by the file itself"), std::string::npos);
  EXPECT_EQ(file_count(), 0);
}

}  // namespace
}  // namespace trammel::io
