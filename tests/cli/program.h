#pragma once

// Runs the built program in a scratch folder, as a user would from a shell.

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace trammel::cli {

namespace fs = std::filesystem;

struct Answer {
  int status;
  std::string out, err;
};

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("trammel-cli-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Answer run(const std::string& arguments) {
    const std::string error_file = (folder_ / "stderr").string();
    FILE* pipe = popen((std::string(TRAMMEL_CLI) + " " + arguments + " 2>" + error_file).c_str(), "r");
    Answer answer;
    char buffer[4096];
    for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) answer.out.append(buffer, n);
    answer.status = WEXITSTATUS(pclose(pipe));
    std::stringstream text;
    text << std::ifstream(error_file).rdbuf();
    answer.err = text.str();
    return answer;
  }
  nlohmann::json run_json(const std::string& arguments) {
    const Answer answer = run(arguments + " --json");
    EXPECT_EQ(answer.status, 0) << answer.err;
    return nlohmann::json::parse(answer.out);
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

}  // namespace trammel::cli
