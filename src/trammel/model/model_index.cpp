#include "trammel/model/model_index.h"

namespace trammel::model {

int ModelIndex::frame_marker(int body) {
  const std::string& name = model_.body_name(body);
  const int found = find_marker(name);
  return found >= 0 ? found : add_marker({name, body, Vector3d::Zero(), Matrix3d::Identity()});
}

int ModelIndex::add_marker(Marker marker) {
  model_.markers.push_back(std::move(marker));
  return static_cast<int>(model_.markers.size()) - 1;
}

int ModelIndex::signal(const Signal& signal) {
  for (; known_signals_ < model_.signals.size(); ++known_signals_) {
    signals_.emplace(model_.signals[known_signals_], static_cast<int>(known_signals_));
  }
  const auto [place, is_new] = signals_.emplace(signal, static_cast<int>(model_.signals.size()));
  if (is_new) {
    model_.signals.push_back(signal);
    known_signals_ = model_.signals.size();
  }
  return place->second;
}

std::size_t ModelIndex::SignalHash::operator()(const Signal& signal) const {
  std::size_t hash = 0;
  for (const int part :
       {static_cast<int>(signal.kind), signal.index, signal.component, signal.a, signal.b, signal.c, signal.d}) {
    hash = (hash ^ static_cast<std::size_t>(part)) * 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio spreads bits
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace trammel::model
