#include <fmt/format.h>

#include <stdexcept>

#include "cases/model_files.h"
#include "trammel/analyses/model_events.h"
#include "trammel/io/model_reader.h"
#include "trammel/system/probe.h"

namespace trammel::cases {
namespace {

/// The lines of comment at the top of the file, without their marks.
std::string leading_comment(const std::string& text) {
  std::string comment;
  for (std::size_t at = 0; at < text.size() && text[at] == '#';) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t begin = text.find_first_not_of("# ", at);
    if (begin < end) comment += (comment.empty() ? "" : " ") + text.substr(begin, end - begin);
    at = end + 1;
  }
  return comment;
}

std::vector<BodyPose> list_poses(const system::Mechanism& mechanism, system::Probe& probe, const dae::State& state) {
  probe.set(state);
  std::vector<BodyPose> poses;
  const system::BodyTable& bodies = mechanism.bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    const system::MarkerState<double> origin =
        probe.calc_marker({frame, -bodies.centre(frame), Eigen::Matrix3d::Identity()});
    BodyPose pose;
    pose.name = mechanism.model().bodies[k - 1].name;
    const int axes = bodies.is_planar() ? 2 : 3;
    pose.position = origin.P.head(axes);
    pose.velocity = origin.V.head(axes);
    if (bodies.is_planar()) {
      pose.angle = probe.frames()[k].angle;
      pose.angular_velocity = probe.twists()[k].w[2];
    } else {
      pose.orientation = state.q.segment<4>(bodies.q_of(frame) + 3);
      pose.angular_vector = probe.twists()[k].w;
    }
    poses.push_back(std::move(pose));
  }
  return poses;
}

CaseEntry read_entry(const ModelFile& file) {
  const std::string where = "models/" + file.name + ".yaml";
  const model::Model model = io::read_model_text(file.text, where);
  CaseEntry entry;
  entry.name = file.name;
  entry.summary = model.summary;
  entry.origin = leading_comment(file.text);
  for (const model::ModelParameter& p : model.parameters) {
    const bool is_of_submodel = p.name.find('.') != std::string::npos;
    if (!is_of_submodel) entry.parameters.push_back({p.name, p.value, p.meaning});
  }
  entry.model = [&file, where, defaults = entry.parameters](const ParameterValues& values) {
    io::ModelReadOptions options;
    // Parameters may be given by others: what was not changed must be free to follow them.
    for (const Parameter& p : defaults) {
      if (values.at(p.name) != p.value) options.parameters[p.name] = values.at(p.name);
    }
    return io::read_model_text(file.text, where, options);
  };
  return entry;
}

}  // namespace

const std::vector<CaseEntry>& model_file_entries() {
  static const std::vector<CaseEntry> entries = [] {
    std::vector<CaseEntry> all;
    for (const ModelFile& file : model_files()) all.push_back(read_entry(file));
    return all;
  }();
  return entries;
}

Case make_case(const analyses::Prepared& prepared) {
  if (!prepared.ok) throw std::invalid_argument(prepared.message);
  Case c;
  c.mechanism = prepared.mechanism;
  c.system = prepared.mechanism;
  c.start = prepared.start;
  c.t_end = prepared.mechanism->model().simulation.t_end;
  c.events = analyses::make_events(prepared.mechanism);
  c.warnings = prepared.warnings;
  const auto probe = std::make_shared<system::Probe>(*prepared.mechanism);
  c.bodies = [mechanism = prepared.mechanism, probe](const dae::State& state) {
    return list_poses(*mechanism, *probe, state);
  };
  return c;
}

}  // namespace trammel::cases
