#pragma once

#include "ports/metastore.h"

#include <cstddef>
#include <cstdint>

namespace muster::content {

// Gives channels, packages, errata, repositories and profiles their numbers, from one counter in
// the metastore: each once in the life of the cluster. What is taken and not used is a gap.
class content_number_allocator {
public:
    explicit content_number_allocator(muster::metastore& metastore) : metastore_(metastore) {}

    // The first of `count` numbers in a row. errc::conflict when there are no more.
    async<std::uint32_t> take(std::size_t count);

private:
    metastore& metastore_;
};

}  // namespace muster::content
