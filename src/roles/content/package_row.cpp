#include "roles/content/package_row.h"

#include "core/table/row_reader.h"
#include "roles/cluster/content_tables.h"
#include "roles/content/json_members.h"

#include <utility>

namespace muster::content {
namespace {

namespace json = boost::json;

std::string text_of(const package_details& of) {
    json::object made{
        {"description", of.description},
        {"path", of.path},
        {"license", of.license},
        {"vendor", of.vendor},
        {"build_host", of.build_host},
        {"size", of.size},
        {"installed_size", of.installed_size}};
    put_time(made, "built", of.built);
    return json::serialize(made);
}

package_details details_of(const json::object& from) {
    return {
        .description = text_in(from, "description"),
        .path = text_in(from, "path"),
        .license = text_in(from, "license"),
        .vendor = text_in(from, "vendor"),
        .build_host = text_in(from, "build_host"),
        .size = integer_in(from, "size"),
        .installed_size = integer_in(from, "installed_size"),
        .built = time_in(from, "built")};
}

}  // namespace

package_row row_of(const repository::found_package& found, std::uint32_t number, wall_time now) {
    package_row made;
    made.what.number = number;
    made.what.kind = found.kind;
    made.what.what = found.what;
    made.what.checksum_type = found.checksum_type;
    made.what.checksum = found.checksum;
    made.what.summary = found.summary;
    made.what.changed = now;
    made.details = {
        .description = found.description,
        .path = found.path,
        .license = found.license,
        .vendor = found.vendor,
        .build_host = found.build_host,
        .size = found.size,
        .installed_size = found.installed_size,
        .built = found.built};
    return made;
}

table::row encode(const package_row& from) {
    const auto& what = from.what;
    return {
        what.identity(),
        std::int64_t{what.number},
        from.version,
        from.removed,
        std::string(packages::to_string(what.kind)),
        what.what.name,
        packages::to_string(what.what.at),
        what.what.arch,
        what.summary,
        text_of(from.details),
        what.changed};
}

result<package_row> decode_package(const table::row& cells) {
    table::row_reader from(cluster::content_packages_table, cells);
    package_row made;
    const auto identity = from.take<std::string>("identity");
    const auto colon = identity.find(':');
    made.what.checksum_type = identity.substr(0, colon);
    if (colon == std::string::npos)
        from.mark_wrong("identity");
    else
        made.what.checksum = identity.substr(colon + 1);
    made.what.number = static_cast<std::uint32_t>(from.take_from("number", 1, INT32_MAX));
    made.version = from.take<std::int64_t>("version");
    made.removed = from.take<bool>("removed");
    const auto kind = packages::parse_family(from.take<std::string>("family"));
    if (!kind) from.mark_wrong("family");
    made.what.kind = kind.value_or(packages::family::rpm);
    made.what.what.name = from.take<std::string>("name");
    made.what.what.at = packages::parse_edition(from.take<std::string>("edition"));
    made.what.what.arch = from.take<std::string>("arch");
    made.what.summary = from.take<std::string>("summary");
    const auto details = parse_object(from.take<std::string>("details"));
    if (!details) from.mark_wrong("details");
    made.what.changed = from.take<wall_time>("changed");
    static_cast<void>(from.take_sequence());
    CHECK_OK(from.finish());
    made.details = details_of(*details);
    return made;
}

}  // namespace muster::content
