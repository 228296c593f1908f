// trammel cases, trammel methods: what there is, one line each.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cases/case.h"
#include "commands.h"
#include "trammel/integrators/method.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const cases::CaseEntry& entry) {
  Json parameters = Json::array();
  for (const cases::Parameter& p : entry.parameters) {
    parameters.push_back({{"name", p.name}, {"default", p.value}, {"meaning", p.meaning}});
  }
  return {{"name", entry.name}, {"summary", entry.summary}, {"origin", entry.origin}, {"parameters", parameters}};
}

Json describe(const integrators::MethodEntry& entry) {
  Json options = Json::array();
  for (const integrators::MethodOptionInfo& o : entry.options) {
    Json option{{"name", o.name}, {"default", o.values.front()}, {"meaning", o.meaning}};
    if (o.is_number) {
      option["range"] = {o.least, o.largest};
    } else {
      option["values"] = o.values;
    }
    options.push_back(std::move(option));
  }
  return {{"name", entry.name}, {"summary", entry.summary}, {"order", entry.order}, {"options", options}};
}

void print(const cases::CaseEntry& entry) {
  fmt::print("{:<20} {}\n", entry.name, entry.summary);
  for (const cases::Parameter& p : entry.parameters) {
    fmt::print("{:<20}   -p {}={:g}  {}\n", "", p.name, p.value, p.meaning);
  }
}

void print(const integrators::MethodEntry& entry) {
  fmt::print("{:<14} {} (order {})\n", entry.name, entry.summary, entry.order);
  for (const integrators::MethodOptionInfo& o : entry.options) {
    fmt::print("{:<14}   --option {}={}  {}\n", "", o.name, fmt::join(o.values, "|"), o.meaning);
  }
}

template <class Entry>
void add_list_command(CLI::App& app, Action& action, const char* name, const char* help,
                      const std::vector<const Entry*>& (*entries)()) {
  CLI::App* command = app.add_subcommand(name, help);
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print a JSON list");
  command->callback([&action, as_json, entries] {
    action = [as_json, entries] {
      Json list = Json::array();
      for (const Entry* entry : entries()) {
        if (*as_json) {
          list.push_back(describe(*entry));
        } else {
          print(*entry);
        }
      }
      if (*as_json) fmt::print("{}\n", list.dump(2));
      return kDone;
    };
  });
}

}  // namespace

void add_cases_command(CLI::App& app, Action& action) {
  add_list_command<cases::CaseEntry>(app, action, "cases", "List the problems that come with the program",
                                     cases::cases);
}

void add_methods_command(CLI::App& app, Action& action) {
  add_list_command<integrators::MethodEntry>(app, action, "methods", "List the integration methods",
                                             integrators::methods);
}

}  // namespace trammel::cli
