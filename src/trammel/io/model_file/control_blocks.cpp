// Reads transfer functions and state-space systems, which become states and variables.
//
// A transfer function y = (b_0 s^n + ... + b_n) / (s^n + a_1 s^(n-1) + ... + a_n) u, leading coefficient of the
// denominator divided out, in controllable canonical form:
//
//   x_1' = x_2, ..., x_(n-1)' = x_n,   x_n' = u - a_n x_1 - ... - a_1 x_n
//   y = b_0 u + (b_n - b_0 a_n) x_1 + ... + (b_1 - b_0 a_1) x_n

#include <fmt/format.h>

#include "trammel/io/model_file/section_readers.h"

namespace trammel::io::model_file {
namespace {

// A name as expressions write it: in quotes, since it may have hyphens.
std::string in_expression(const std::string& name) { return "'" + name + "'"; }

// The sum of factors times names, as an expression.
class Sum {
 public:
  void add(double factor, const std::string& name) {
    if (factor == 0) return;
    text_ += fmt::format("{}({})*{}", text_.empty() ? "" : " + ", factor, in_expression(name));
  }
  std::string text() const { return text_.empty() ? "0" : text_; }

 private:
  std::string text_;
};

class ControlBlockReader {
 public:
  explicit ControlBlockReader(PartReader& reader)
      : reader_(reader), values_(reader.values()), problems_(reader.problems()) {}

  void read_transfer_function(const std::string& name, const Node& map) {
    if (const Node* input = map.get("input")) define_input(name + ".u", *input);
    const Node* above = map.get("numerator");
    const Node* below = map.get("denominator");
    if (above == nullptr || below == nullptr) return;
    auto b = values_.numbers(*above), a = values_.numbers(*below);
    if (!a || !b) return;
    while (b->size() > 1 && b->front() == 0) b->erase(b->begin());
    if (a->empty() || a->front() == 0) {
      return problems_.add(below->place, "the denominator needs a first coefficient other than 0");
    }
    if (b->empty()) return problems_.add(above->place, "the numerator is empty");
    if (b->size() > a->size()) {
      return problems_.add(above->place, fmt::format("the numerator has order {}, more than the denominator with {}",
                                                     b->size() - 1, a->size() - 1));
    }
    define_transfer_function(name, *b, *a, map);
  }

  void read_state_space(const std::string& name, const Node& map) {
    const Node* inputs = map.get("inputs");
    if (inputs == nullptr || !inputs->is_list()) return;
    for (std::size_t k = 0; k < inputs->items.size(); ++k) {
      define_input(fmt::format("{}.u{}", name, k + 1), *inputs->items[k]);
    }
    const Node* rows = map.get("A");
    if (rows == nullptr) return;
    const auto n = static_cast<Eigen::Index>(rows->items.size());
    const Node* below = map.get("C");
    const auto m = static_cast<Eigen::Index>(inputs->items.size());
    const auto p = below == nullptr ? 0 : static_cast<Eigen::Index>(below->items.size());
    const auto A = matrix(map, "A", n, n), B = matrix(map, "B", n, m), C = matrix(map, "C", p, n),
               D = matrix(map, "D", p, m);
    if (!A || !B || !C || !D) return;
    const auto weigh = [&](const Eigen::MatrixXd& of_states, const Eigen::MatrixXd& of_inputs, Eigen::Index row) {
      Sum sum;
      for (Eigen::Index k = 0; k < n; ++k) sum.add(of_states(row, k), fmt::format("{}.x{}", name, k + 1));
      for (Eigen::Index k = 0; k < m; ++k) sum.add(of_inputs(row, k), fmt::format("{}.u{}", name, k + 1));
      return sum.text();
    };
    for (Eigen::Index k = 0; k < n; ++k)
      state(name, k + 1).function = reader_.made_program(weigh(*A, *B, k), *map.get("A"));
    for (Eigen::Index k = 0; k < p; ++k) {
      variable(fmt::format("{}.y{}", name, k + 1)).function = reader_.made_program(weigh(*C, *D, k), *map.get("C"));
    }
    read_initial(name, map, n);
  }

 private:
  model::ExtraState& state(const std::string& name, Eigen::Index k) {
    return reader_.model().states[static_cast<std::size_t>(reader_.index().find_state(fmt::format("{}.x{}", name, k)))];
  }
  model::Definition& variable(const std::string& name) {
    return reader_.model().variables[static_cast<std::size_t>(reader_.index().find_variable(name))];
  }

  void define_input(const std::string& name, const Node& node) {
    if (const auto program = reader_.program(node, Purpose::kVariable)) variable(name).function = *program;
  }

  void define_transfer_function(const std::string& name, std::vector<double> b, std::vector<double> a,
                                const Node& map) {
    const auto n = static_cast<Eigen::Index>(a.size()) - 1;
    b.insert(b.begin(), a.size() - b.size(), 0.0);
    const double leading = a.front();
    for (double& coefficient : a) coefficient /= leading;
    for (double& coefficient : b) coefficient /= leading;
    Sum last, output;
    for (Eigen::Index k = 1; k <= n; ++k) {
      const std::string x = fmt::format("{}.x{}", name, k);
      const auto power = static_cast<std::size_t>(n + 1 - k);
      last.add(-a[power], x);
      output.add(b[power] - b[0] * a[power], x);
      if (k < n) state(name, k).function = reader_.made_program(in_expression(fmt::format("{}.x{}", name, k + 1)), map);
    }
    last.add(1, name + ".u");
    output.add(b[0], name + ".u");
    if (n > 0) state(name, n).function = reader_.made_program(last.text(), map);
    variable(name).function = reader_.made_program(output.text(), map);
  }

  // A matrix of the given size, zero when the key is not there.
  std::optional<Eigen::MatrixXd> matrix(const Node& map, const char* key, Eigen::Index rows, Eigen::Index columns) {
    const Node* node = map.get(key);
    if (node == nullptr) return Eigen::MatrixXd::Zero(rows, columns);
    auto value = values_.matrix(*node);
    if (!value || (value->rows() == rows && (value->cols() == columns || rows == 0))) return value;
    problems_.add(node->place, fmt::format("{} must have {} x {} numbers (rows x columns), but has {} x {}", key, rows,
                                           columns, value->rows(), value->cols()));
    return std::nullopt;
  }

  void read_initial(const std::string& name, const Node& map, Eigen::Index n) {
    const Node* node = map.get("initial");
    if (node == nullptr) return;
    const auto list = values_.numbers(*node);
    if (!list) return;
    if (static_cast<Eigen::Index>(list->size()) != n) {
      return problems_.add(node->place,
                           fmt::format("expected a list of {} numbers, found {}", n, describe_kind(*node)));
    }
    for (Eigen::Index k = 0; k < n; ++k) state(name, k + 1).initial = (*list)[static_cast<std::size_t>(k)];
  }

  PartReader& reader_;
  Values& values_;
  Problems& problems_;
};

}  // namespace

void read_control_blocks(PartReader& reader) {
  ControlBlockReader blocks(reader);
  const auto& declared = reader.build().control_blocks;
  reader.for_each_map("transfer_functions", [&](const std::string& name, const Entry& entry) {
    if (declared.contains({"transfer_functions", name})) blocks.read_transfer_function(name, *entry.value);
  });
  reader.for_each_map("state_space", [&](const std::string& name, const Entry& entry) {
    if (declared.contains({"state_space", name})) blocks.read_state_space(name, *entry.value);
  });
}

}  // namespace trammel::io::model_file
