#include "trammel/kkt/elimination_order.h"

#include <algorithm>
#include <numeric>

#include "trammel/linalg/ordering.h"

namespace trammel::kkt {

using linalg::Entry;

std::vector<int> calc_interleaved_order(const Layout& layout) {
  std::vector<int> last(static_cast<std::size_t>(layout.lower), -1);
  for (const Entry& e : layout.jacobian->entries()) {
    int& l = last[static_cast<std::size_t>(e.row)];
    l = std::max(l, e.column);
  }
  std::vector<int> order(static_cast<std::size_t>(layout.upper + layout.lower));
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int unknown) {
    return unknown < layout.upper ? 2L * unknown : 2L * last[static_cast<std::size_t>(unknown - layout.upper)] + 1;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  return order;
}

namespace {

/// The body of each coordinate; coordinates behind the velocities of the system stand alone.
std::vector<int> number_bodies(const Layout& layout) {
  std::vector<int> body_of(static_cast<std::size_t>(layout.upper));
  std::iota(body_of.begin(), body_of.end(), 0);
  if (!layout.structure || layout.structure->bodies.empty()) return body_of;
  const std::vector<int>& first = layout.structure->bodies;
  int body = -1;
  for (int i = 0; i < layout.upper; ++i) {
    const bool is_next = body + 1 < static_cast<int>(first.size()) && first[static_cast<std::size_t>(body + 1)] == i;
    if (is_next || i >= layout.structure->n_v()) ++body;
    body_of[static_cast<std::size_t>(i)] = body;
  }
  return body_of;
}

/// Those that each row of G touches, without repetition.
std::vector<std::vector<int>> find_touched(const Layout& layout, const std::vector<int>& body_of) {
  std::vector<std::vector<int>> touched(static_cast<std::size_t>(layout.lower));
  for (const Entry& e : layout.jacobian->entries()) {
    std::vector<int>& bodies = touched[static_cast<std::size_t>(e.row)];
    const int body = body_of[static_cast<std::size_t>(e.column)];
    if (std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
  }
  return touched;
}

linalg::Graph make_body_graph(const Layout& layout, const std::vector<int>& body_of,
                              const std::vector<std::vector<int>>& touched) {
  std::vector<Entry> edges;
  // A row of many bodies ties them to its first one only, so that the graph stays sparse.
  for (const std::vector<int>& bodies : touched) {
    for (const int body : bodies) edges.push_back({bodies.front(), body});
  }
  for (const Block& block : layout.blocks) {
    for (const Entry& e : block.pattern->entries()) {
      const int row = e.row + block.row, column = e.column + block.column;
      if (row >= layout.upper || column >= layout.upper) continue;
      edges.push_back({body_of[static_cast<std::size_t>(row)], body_of[static_cast<std::size_t>(column)]});
    }
  }
  const int count = body_of.empty() ? 0 : body_of.back() + 1;
  return linalg::make_graph({count, count, std::move(edges)});
}

/// Bodies in the order in which a depth-first walk leaves them.
std::vector<int> walk_leaves_first(const linalg::Graph& graph) {
  std::vector<int> order, path;
  std::vector<const int*> next(static_cast<std::size_t>(graph.size()), nullptr);  // neighbour of each body to look at
  for (int root = 0; root < graph.size(); ++root) {
    if (next[static_cast<std::size_t>(root)]) continue;
    const auto enter = [&](int body) {
      next[static_cast<std::size_t>(body)] = graph.begin(body);
      path.push_back(body);
    };
    for (enter(root); !path.empty();) {
      const int body = path.back();
      const int*& neighbour = next[static_cast<std::size_t>(body)];
      while (neighbour != graph.end(body) && next[static_cast<std::size_t>(*neighbour)]) ++neighbour;
      if (neighbour != graph.end(body)) {
        enter(*neighbour);
      } else {
        order.push_back(body);
        path.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

std::vector<int> calc_leaves_first_order(const Layout& layout) {
  const std::vector<int> body_of = number_bodies(layout);
  std::vector<std::vector<int>> touched = find_touched(layout, body_of);
  const std::vector<int> bodies = walk_leaves_first(make_body_graph(layout, body_of, touched));
  const auto count = bodies.size();
  std::vector<int> place(count);
  for (std::size_t k = 0; k < count; ++k) place[static_cast<std::size_t>(bodies[k])] = static_cast<int>(k);
  const auto place_of = [&](int body) { return static_cast<std::size_t>(place[static_cast<std::size_t>(body)]); };

  // By places: the coordinates of a body, the rows that want to stand there, and where they stand in the end.
  std::vector<std::vector<int>> coordinates(count), waiting(count);
  for (int i = 0; i < layout.upper; ++i) coordinates[place_of(body_of[static_cast<std::size_t>(i)])].push_back(i);
  std::vector<int> order;
  for (int row = 0; row < layout.lower; ++row) {
    std::vector<int>& rows_bodies = touched[static_cast<std::size_t>(row)];
    if (rows_bodies.empty()) {
      order.push_back(layout.upper + row);
      continue;
    }
    std::sort(rows_bodies.begin(), rows_bodies.end(), [&](int a, int b) { return place_of(a) > place_of(b); });
    waiting[place_of(rows_bodies.back())].push_back(row);
  }
  for (std::size_t k = 0; k < count; ++k) {
    order.insert(order.end(), coordinates[k].begin(), coordinates[k].end());
    // Rows that touch no later body must stand here; they come first.
    std::vector<int>& rows = waiting[k];
    std::stable_partition(rows.begin(), rows.end(),
                          [&](int row) { return touched[static_cast<std::size_t>(row)].size() == 1; });
    std::size_t held = 0;
    for (const int row : rows) {
      std::vector<int>& rows_bodies = touched[static_cast<std::size_t>(row)];
      if (rows_bodies.size() == 1 || held < coordinates[k].size()) {
        order.push_back(layout.upper + row);
        ++held;
      } else {
        rows_bodies.pop_back();
        waiting[place_of(rows_bodies.back())].push_back(row);
      }
    }
  }
  return order;
}

}  // namespace trammel::kkt
