// Files that are no result files, or were ones: a clear message and never a crash.

#include <hdf5.h>

#include <random>

#include "tests/io/result_samples.h"

namespace trammel::io {
namespace {

class DamagedResults : public ResultFolder {};

TEST_F(DamagedResults, ACutHdf5FileSaysSo) {
  write_sample(path("a.h5"), 20);
  const std::string whole = read_text_file(path("a.h5"));
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n < 200; ++n) sizes.push_back(n);
  for (std::size_t n = 200; n < whole.size(); n += 97) sizes.push_back(n);
  sizes.push_back(whole.size() - 1);
  for (const std::size_t n : sizes) {
    write_text_file(path("cut.h5"), whole.substr(0, n));
    const std::string problem = problem_of(path("cut.h5"));
    EXPECT_EQ(problem.find("'" + path("cut.h5") + "' is cut off: "), 0u) << n << " bytes: " << problem;
  }
  write_text_file(path("cut.h5"), whole);
  EXPECT_EQ(problem_of(path("cut.h5")), "");
}

TEST_F(DamagedResults, BytesThatWereOverwrittenNeverCrash) {
  write_sample(path("a.h5"), 300);
  const std::string whole = read_text_file(path("a.h5"));
  std::mt19937 random(1);
  const auto any_below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    if (i % 2 == 0) {  // a block of the disk is lost
      const std::size_t begin = any_below(whole.size() / 512) * 512;
      damaged.replace(begin, 512, 512, '\0');
    } else {
      for (int k = 0; k < 10; ++k) damaged[any_below(whole.size())] = static_cast<char>(any_below(256));
    }
    write_text_file(path("damaged.h5"), damaged);
    if (!problem_of(path("damaged.h5")).empty()) ++refused;  // otherwise the damage is in values or in empty space
  }
  EXPECT_GT(refused, 50);
}

TEST_F(DamagedResults, ACutCsvFileSaysSoUnlessItEndsWithALine) {
  write_sample(path("a.csv"), 20);
  const std::string whole = read_text_file(path("a.csv"));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    write_text_file(path("cut.csv"), whole.substr(0, n));
    const std::string problem = problem_of(path("cut.csv"));
    const bool is_whole_lines = n > 0 && whole[n - 1] == '\n';
    EXPECT_EQ(problem.empty(), is_whole_lines) << n << " bytes: " << problem;
    if (n > 1 && !is_whole_lines) {
      EXPECT_NE(problem.find("is cut off: "), std::string::npos) << problem;
    }
  }
}

TEST_F(DamagedResults, OtherFilesAreNotTakenForResults) {
  write_text_file(path("a.h5"), "hello");
  EXPECT_EQ(problem_of(path("a.h5")), "'" + path("a.h5") + "' is not a Trammel result file");
  write_text_file(path("a.csv"), "name,value\na,1\n");
  EXPECT_EQ(problem_of(path("a.csv")), "'" + path("a.csv") + "' is not a Trammel result file");
  write_text_file(path("a.csv"), "");
  EXPECT_EQ(problem_of(path("a.csv")), "'" + path("a.csv") + "' is cut off: it is empty");
  EXPECT_EQ(problem_of(path("nosuch")), "cannot read '" + path("nosuch") + "': No such file or directory");
  EXPECT_EQ(problem_of(folder_.string()), "'" + folder_.string() + "' is a folder");
  H5Fclose(H5Fcreate(path("b.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_EQ(problem_of(path("b.h5")), "'" + path("b.h5") + "' is not a Trammel result file");
}

TEST_F(DamagedResults, TablesOfAnotherShapeAreSaid) {
  write_text_file(path("a.csv"), "t,x\n0,1\n1,2,3\n");
  EXPECT_EQ(problem_of(path("a.csv")), "'" + path("a.csv") + "' has 3 values in line 3, but 2 names");
  write_text_file(path("a.csv"), "t,x\n0,1\n1\n");
  EXPECT_EQ(problem_of(path("a.csv")), "'" + path("a.csv") + "' has 1 values in line 3, but 2 names");
  write_text_file(path("a.csv"), "t,x\n0,one\n");
  EXPECT_EQ(problem_of(path("a.csv")), "'" + path("a.csv") + "' has 'one' in line 2, which is not a number");
  write_text_file(path("a.csv"), "t,x\r\n0, 1\r\n");
  EXPECT_EQ(problem_of(path("a.csv")), "") << "line ends and blanks of other programs";
}

/// A result file with something changed by means of HDF5 itself.
class ChangedResults : public DamagedResults {
 protected:
  void SetUp() override {
    DamagedResults::SetUp();
    write_sample(path("a.h5"), 20);
    file_ = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  }
  std::string problem() {
    H5Fclose(file_);
    const std::string text = problem_of(path("a.h5"));
    const std::string beginning = "'" + path("a.h5") + "' ";
    return text.starts_with(beginning) ? text.substr(beginning.size()) : text;
  }
  hid_t file_ = -1;
};

TEST_F(ChangedResults, ANewerVersionIsNamed) {
  const std::string schema = "trammel.results/2";
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, schema.size());
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t attribute = H5Aopen(file_, "schema", H5P_DEFAULT);
  H5Awrite(attribute, type, schema.data());
  H5Aclose(attribute);
  H5Tclose(type);
  EXPECT_EQ(problem(), "was written by a newer version of Trammel (trammel.results/2)");
}

TEST_F(ChangedResults, MissingPartsAreDamage) {
  for (const char* part : {"time", "bodies/names", "bodies/units", "bodies/order", "model/source", "events/times"}) {
    write_sample(path("b.h5"), 20);
    const hid_t file = H5Fopen(path("b.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, part, H5P_DEFAULT);
    H5Fclose(file);
    EXPECT_NE(problem_of(path("b.h5")).find("is damaged: "), std::string::npos) << part;
  }
  H5Fclose(file_);
}

TEST_F(ChangedResults, TablesOfUnequalLengthAreDamage) {
  const hid_t table = H5Dopen2(file_, "reactions/values", H5P_DEFAULT);
  const hsize_t size[] = {7, 1};
  H5Dset_extent(table, size);
  H5Dclose(table);
  EXPECT_EQ(problem(), "is damaged: its tables have unequal numbers of rows");
}

TEST_F(ChangedResults, WhatOthersAddIsLeftAlone) {
  H5Gclose(H5Gcreate2(file_, "mine", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = H5Screate(H5S_SCALAR);
  H5Dclose(H5Dcreate2(file_, "number", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  EXPECT_EQ(problem(), "");
}

TEST_F(ChangedResults, TheErrorPrintingOfTheCallerIsLeftAsItWas) {
  H5E_auto2_t before = nullptr, after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  ::testing::internal::CaptureStderr();
  write_text_file(path("b.h5"), read_text_file(path("a.h5")).substr(0, 3000));
  EXPECT_NE(problem_of(path("b.h5")), "");
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace trammel::io
