#pragma once

#include "core/revision/section.h"
#include "ports/async.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::revision {

// By which rules sections are written. Who changes how any of them is written, or adds one, counts
// this up: servers of an older form then leave the judgement to the newer ones.
inline constexpr std::int64_t form = 2;

// Where one section of common data comes from, on one server.
struct source {
    std::string name;
    // What this server has in memory; nothing before it was read once.
    std::function<std::optional<section>()> held;
    // Another one whenever what is held may be; compared, never looked into.
    std::function<std::shared_ptr<const void>()> stamp;
    // What is on record now.
    std::function<async<section>()> recorded;
    // Forgets what is in memory and reads everything anew.
    std::function<async<void>()> read_anew;
};

using sources = std::vector<source>;

// SHA-256 in hex.
std::string digest_of(const section& section);
digests digests_of(const sections& sections);
// Of all of it.
std::string digest_of(const digests& digests);

// What this server holds, as far as it knows it; nothing while a section was not read yet.
std::optional<sections> held_by(const sources& all);
// What is on record now.
async<sections> recorded_in(const sources* all);

}  // namespace muster::revision
