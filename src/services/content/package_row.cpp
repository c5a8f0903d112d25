#include "services/content/package_row.h"

#include "core/table/row_reader.h"
#include "runtime/json/record_reader.h"
#include "services/content/content_tables.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::content {
namespace {

namespace json = boost::json;

std::string text_of(const package_details& of) {
    json::object result{
        {"description", of.description},
        {"path", of.path},
        {"license", of.license},
        {"vendor", of.vendor},
        {"build_host", of.build_host},
        {"size", of.size},
        {"installed_size", of.installed_size}};
    runtime::put_time(result, "built", of.built);
    return json::serialize(result);
}

package_details details_of(const runtime::json_record_reader& from) {
    return {
        .description = from.text_or_empty("description"),
        .path = from.text_or_empty("path"),
        .license = from.text_or_empty("license"),
        .vendor = from.text_or_empty("vendor"),
        .build_host = from.text_or_empty("build_host"),
        .size = from.integer_or_zero("size"),
        .installed_size = from.integer_or_zero("installed_size"),
        .built = from.find_time("built")};
}

}  // namespace

package_row row_of(
    const repository::repository_package& repository_package, std::uint32_t number, wall_time now) {
    package_row package;
    package.what.number = number;
    package.what.kind = repository_package.family;
    package.what.what = repository_package.package;
    package.what.checksum_type = repository_package.checksum_type;
    package.what.checksum = repository_package.checksum;
    package.what.summary = repository_package.summary;
    package.what.changed = now;
    package.details = {
        .description = repository_package.description,
        .path = repository_package.path,
        .license = repository_package.license,
        .vendor = repository_package.vendor,
        .build_host = repository_package.build_host,
        .size = repository_package.size,
        .installed_size = repository_package.installed_size,
        .built = repository_package.built};
    return package;
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

result<package_row> decode_package(const table::row& row) {
    table::row_reader from(content_packages_table, row);
    package_row package;
    const auto identity = from.take<std::string>("identity");
    const auto colon = identity.find(':');
    package.what.checksum_type = identity.substr(0, colon);
    if (colon == std::string::npos)
        from.mark_faulty("identity");
    else
        package.what.checksum = identity.substr(colon + 1);
    package.what.number = static_cast<std::uint32_t>(from.take_from("number", 1, INT32_MAX));
    package.version = from.take<std::int64_t>("version");
    package.removed = from.take<bool>("removed");
    const auto kind = packages::parse_family(from.take<std::string>("family"));
    if (!kind) from.mark_faulty("family");
    package.what.kind = kind.value_or(packages::family::rpm);
    package.what.what.name = from.take<std::string>("name");
    package.what.what.at = packages::parse_edition(from.take<std::string>("edition"));
    package.what.what.arch = from.take<std::string>("arch");
    package.what.summary = from.take<std::string>("summary");
    const auto details =
        runtime::json_record_reader::parse("package", from.take<std::string>("details"));
    if (!details) from.mark_faulty("details");
    package.what.changed = from.take<wall_time>("changed");
    static_cast<void>(from.take_sequence());
    CHECK_OK(from.finish());
    package.details = details_of(*details);
    return package;
}

}  // namespace muster::content
