#include "roles/windows/window_record.h"

#include "roles/cluster/ledger_schema.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace muster::windows {
namespace {

constexpr std::array<std::pair<record_kind, std::string_view>, 5> kinds{
    {{record_kind::calendar, "calendar"},
     {record_kind::maintenance, "maintenance"},
     {record_kind::assignment, "assignment"},
     {record_kind::schedule, "schedule"},
     {record_kind::policy, "policy"}}};

std::optional<record_kind> kind_named(std::string_view word) {
    for (const auto& [kind, name] : kinds)
        if (name == word) return kind;
    return std::nullopt;
}

void append_sized(std::string& to, std::string_view what) {
    const auto size = static_cast<std::uint32_t>(what.size());
    for (const int shift : {24, 16, 8, 0}) to += static_cast<char>((size >> shift) & 0xFFU);
    to += what;
}

std::optional<std::string_view> take_sized(std::string_view& from) {
    if (from.size() < 4) return std::nullopt;
    std::uint32_t size = 0;
    for (const char each : from.substr(0, 4)) size = (size << 8U) | static_cast<std::uint8_t>(each);
    from.remove_prefix(4);
    if (size > from.size()) return std::nullopt;
    const auto taken = from.substr(0, size);
    from.remove_prefix(size);
    return taken;
}

}  // namespace

std::string_view to_string(record_kind kind) {
    for (const auto& [each, name] : kinds)
        if (each == kind) return name;
    return {};
}

table::row encode(const window_record& what) {
    return {
        std::string(to_string(what.kind)),
        what.name,
        what.document,
        table::blob{what.members},
        what.version,
        what.changed_by,
        what.changed};
}

result<window_record> decode_record(const table::row& cells) {
    constexpr std::size_t columns = 8;  // with the sequence
    const auto wrong = [] {
        return fail(errc::corrupt, "a row of `window_records` is not one that muster wrote");
    };
    if (cells.size() != columns) return wrong();
    const auto* const kind = std::get_if<std::string>(&cells[0]);
    const auto* const name = std::get_if<std::string>(&cells[1]);
    const auto* const document = std::get_if<std::string>(&cells[2]);
    const auto* const members = std::get_if<table::blob>(&cells[3]);
    const auto* const version = std::get_if<std::int64_t>(&cells[4]);
    const auto* const changed_by = std::get_if<std::string>(&cells[5]);
    const auto* const changed = std::get_if<wall_time>(&cells[6]);
    const auto* const sequence = std::get_if<std::int64_t>(&cells[7]);
    if (kind == nullptr || name == nullptr || document == nullptr || members == nullptr
        || version == nullptr || changed_by == nullptr || changed == nullptr || sequence == nullptr)
        return wrong();
    const auto known = kind_named(*kind);
    if (!known) return wrong();
    return window_record{
        .kind = *known,
        .name = *name,
        .document = *document,
        .members = members->content,
        .version = *version,
        .changed_by = *changed_by,
        .changed = *changed,
        .sequence = *sequence};
}

result<void> check_record_name(std::string_view what, std::string_view name) {
    const bool well = !name.empty() && name.size() <= record_limits::name_bytes_max
                      && std::ranges::none_of(
                          name,
                          [](char letter) {
                              return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
                          })
                      && name.front() != ' ' && name.back() != ' ';
    if (well) return {};
    return fail(
        errc::invalid,
        std::string(what) + " is a text of one line with 1 to 128 bytes, without spaces around it");
}

std::string part_name(system_number of) {
    return std::to_string(of.value() / systems_per_part);
}

std::string encode_assignment(const assignment& what) {
    std::string bytes;
    for (const auto& [schedule, systems] : what) {
        if (systems.empty()) continue;
        append_sized(bytes, schedule);
        append_sized(bytes, systems.serialise());
    }
    return bytes;
}

result<assignment> decode_assignment(std::string_view bytes) {
    assignment read;
    while (!bytes.empty()) {
        const auto name = take_sized(bytes);
        const auto set = name ? take_sized(bytes) : std::nullopt;
        if (!set) return fail(errc::corrupt, "an assignment of schedules is cut short");
        auto systems = fleet::system_set::parse(*set);
        if (!systems) return fail(errc::corrupt, "an assignment holds what is no set of systems");
        read.insert_or_assign(std::string(*name), *std::move(systems));
    }
    return read;
}

}  // namespace muster::windows
