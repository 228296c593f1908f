#pragma once

// Places everything that a figure shows.

#include "trammel/figures/display_list.h"
#include "trammel/figures/figure.h"

namespace trammel::figures {

/// Throws std::invalid_argument for what figure.h names.
DisplayList lay_out(const Figure& figure);

/// What is wrong with the data of a figure is thrown as std::invalid_argument; its size is not looked at.
void check(const Figure& figure);

/// The remarks above a panel: its own, and that values were left out.
std::vector<std::string> list_notes(const Panel& panel, std::size_t not_positive);

}  // namespace trammel::figures
