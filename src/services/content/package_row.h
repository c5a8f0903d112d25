#pragma once

#include "adapters/repository/contents.h"
#include "base/result.h"
#include "base/time.h"
#include "core/packages/available_packages.h"
#include "core/table/value.h"

#include <cstdint>
#include <memory>
#include <string>

namespace muster::content {

// What every server keeps in memory of a package.
struct stored_package : packages::available_package {
    std::string checksum_type;
    std::string checksum;
    std::string summary;
    wall_time changed;

    std::string identity() const { return checksum_type + ":" + checksum; }
};
using package_ref = std::shared_ptr<const stored_package>;

// The rest, which is read when somebody asks for it.
struct package_details {
    std::string description;
    std::string path;
    std::string license;
    std::string vendor;
    std::string build_host;
    std::int64_t size = 0;
    std::int64_t installed_size = 0;
    std::optional<wall_time> built;
};

// A row of the ledger's table `content_packages`, written with replace_if_grows{"version"}.
struct package_row {
    stored_package what;
    std::int64_t version = 1;
    bool removed = false;
    package_details details;
};

package_row row_of(
    const repository::repository_package& repository_package, std::uint32_t number, wall_time now);

table::row encode(const package_row& from);
// errc::corrupt for anything that encode() does not write, the sequence aside.
result<package_row> decode_package(const table::row& row);

}  // namespace muster::content
