#include "roles/fleet/saved_group.h"

namespace muster::fleet {

table::row encode_group(const saved_group& group) {
    return {
        group.name,
        group.definition,
        group.description,
        group.version,
        group.changed_by,
        group.changed};
}

result<saved_group> decode_group(const table::row& cells) {
    constexpr std::size_t columns = 7;  // with the sequence
    const auto wrong = [] {
        return fail(errc::corrupt, "a row of `saved_groups` is not one that muster wrote");
    };
    if (cells.size() != columns) return wrong();
    const auto* const name = std::get_if<std::string>(&cells[0]);
    const auto* const definition = std::get_if<std::string>(&cells[1]);
    const auto* const description = std::get_if<std::string>(&cells[2]);
    const auto* const version = std::get_if<std::int64_t>(&cells[3]);
    const auto* const by = std::get_if<std::string>(&cells[4]);
    const auto* const changed = std::get_if<wall_time>(&cells[5]);
    if (name == nullptr || definition == nullptr || description == nullptr) return wrong();
    if (version == nullptr || by == nullptr || changed == nullptr) return wrong();
    return saved_group{
        .name = *name,
        .definition = *definition,
        .description = *description,
        .changed_by = *by,
        .changed = *changed,
        .version = *version};
}

}  // namespace muster::fleet
