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

// Version of the section format. Increase it when a section is added or written differently:
// servers with an older format then leave publishing to newer ones.
inline constexpr std::int64_t form = 2;

// One section of common data on one server.
struct source {
    std::string name;
    // The section in memory; empty before the first read.
    std::function<std::optional<section>()> held;
    // Identity of the data in memory: changes with every change. Only compared, never dereferenced.
    std::function<std::shared_ptr<const void>()> stamp;
    // Reads the section from the metastore or ledger.
    std::function<async<section>()> recorded;
    // Discards the data in memory and reads everything again.
    std::function<async<void>()> reload;
};

using sources = std::vector<source>;

// SHA-256 in hex.
std::string digest_of(const section& section);
digests digests_of(const sections& sections);
// Digest of all sections.
std::string digest_of(const digests& digests);

// The sections in memory; empty while any section was not read yet.
std::optional<sections> held_sections(const sources& sources);
// Reads all sections from metastore and ledger.
async<sections> read_sections(const sources* sources);

}  // namespace muster::revision
