#pragma once

namespace trammel::linalg {

/// Operations on numbers, subtractions counted as additions.
struct Operations {
  long multiplications = 0;
  long additions = 0;
  long divisions = 0;
  long roots = 0;

  long total() const { return multiplications + additions + divisions + roots; }
  Operations& operator+=(const Operations& other) {
    multiplications += other.multiplications;
    additions += other.additions;
    divisions += other.divisions;
    roots += other.roots;
    return *this;
  }
  friend Operations operator+(Operations a, const Operations& b) { return a += b; }
  friend bool operator==(const Operations&, const Operations&) = default;
};

}  // namespace trammel::linalg
