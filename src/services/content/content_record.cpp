#include "services/content/content_record.h"

#include "core/table/row_reader.h"
#include "services/content/content_tables.h"

#include <array>
#include <optional>

namespace muster::content {
namespace {

struct kind_name {
    record_kind kind;
    std::string_view name;
};
constexpr std::array names{
    kind_name{record_kind::channel, "channel"},
    kind_name{record_kind::repository, "repository"},
    kind_name{record_kind::erratum, "erratum"},
    kind_name{record_kind::profile, "profile"},
    kind_name{record_kind::subscription, "subscription"}};

std::optional<record_kind> parse_kind(std::string_view name) {
    for (const auto& each : names)
        if (each.name == name) return each.kind;
    return std::nullopt;
}

}  // namespace

std::string_view to_string(record_kind record_kind) {
    for (const auto& name : names)
        if (name.kind == record_kind) return name.name;
    return {};
}

table::row encode(const content_record& from) {
    return {
        std::string(to_string(from.kind)),
        from.name,
        std::int64_t{from.number},
        from.version,
        from.removed,
        from.document,
        table::blob{packages::encode(from.packages)},
        table::blob{packages::encode(from.errata)},
        from.changed_by,
        from.changed};
}

result<content_record> decode_record(const table::row& row) {
    table::row_reader from(content_records_table, row);
    content_record content;
    const auto kind = parse_kind(from.take<std::string>("kind"));
    if (!kind) from.mark_faulty("kind");
    content.kind = kind.value_or(record_kind::channel);
    content.name = from.take<std::string>("name");
    content.number = static_cast<std::uint32_t>(from.take_from("number", 0, UINT32_MAX));
    content.version = from.take<std::int64_t>("version");
    content.removed = from.take<bool>("removed");
    content.document = from.take<std::string>("document");
    const auto packages = from.take<table::blob>("packages");
    const auto errata = from.take<table::blob>("errata");
    content.changed_by = from.take<std::string>("changed_by");
    content.changed = from.take<wall_time>("changed");
    content.sequence = from.take_sequence();
    CHECK_OK(from.finish());
    TRY(content.packages, packages::decode_numbers(packages.content));
    TRY(content.errata, packages::decode_numbers(errata.content));
    return content;
}

}  // namespace muster::content
