#include "trammel/io/model_reader.h"

#include "trammel/io/model_file/section_readers.h"

namespace trammel::io {
namespace {

using namespace model_file;  // NOLINT(google-build-using-namespace): the reader's own parts

// Sub-models have a ground frame of their own, a marker on the ground.
void place_ground(Build& build, Part& part) {
  if (part.is_whole()) return;
  part.ground = build.index.add_marker({part.prefix + "ground", model::kGround, part.placement.p, part.placement.R});
}

void read_parts(Build& build, const Parts& parts) {
  std::vector<PartReader> readers;
  readers.reserve(parts.size());
  for (const auto& part : parts) {
    place_ground(build, *part);
    readers.emplace_back(build, *part);
  }
  NameRegister names(build.problems);
  const auto for_all = [&](void (*read)(PartReader&)) {
    for (PartReader& reader : readers) read(reader);
  };
  for (PartReader& reader : readers) declare_names(reader, names);
  for_all(read_curves);
  for_all(read_bodies);
  for_all(read_joints);
  for_all(read_motions);
  for_all(read_forces);
  for_all(read_states);
  for_all(read_control_blocks);
  for_all(read_outputs);
  for_all(read_events);
  read_settings(readers.front());
}

void read_whole(const std::string& text, const std::string& name, const ModelReadOptions& options, Build& build) {
  ContentsLoader loader(build.problems);
  const ContentsPtr whole = loader.load_text(text, name);
  if (!whole) return;
  if (const Node* space = whole->setting("space"); space != nullptr && space->text == "planar") {
    build.model.space = model::Space::kPlanar;
  }
  build.model.name = std::filesystem::path(name).stem().string();
  build.model.source = text;
  PartExpansion expansion(loader, options.parameters, build.model.space, build.problems);
  const Parts parts = expansion.expand(whole);
  build.missing_parts = expansion.missing();
  read_parts(build, parts);
}

}  // namespace

model::Model read_model_text(const std::string& text, const std::string& name, const ModelReadOptions& options) {
  Problems problems;
  Build build(problems);
  try {
    read_whole(text, name, options, build);
  } catch (const TooManyProblems&) {
    // They are reported below.
  }
  if (!problems.empty()) throw ModelError(problems.sorted());
  return std::move(build.model);
}

model::Model read_model_file(const std::filesystem::path& path, const ModelReadOptions& options) {
  std::string problem;
  const std::string text = ContentsLoader::read_text(path, problem);
  if (!problem.empty()) throw ModelError({{path.string(), 0, 0, problem}});
  return read_model_text(text, path.string(), options);
}

}  // namespace trammel::io
