#include "roles/fleet/facts_row.h"

#include "roles/fleet/system_row.h"

#include <algorithm>

namespace muster::fleet {

table::row encode_facts(const stored_facts& facts) {
    return {key_cell(facts.print), facts.document, table::blob{facts.digest}, facts.changed};
}

result<stored_facts> decode_facts(const table::row& cells) {
    constexpr std::size_t columns = 5;  // with the sequence
    const auto wrong = [] {
        return fail(errc::corrupt, "a row of `facts` is not one that muster wrote");
    };
    if (cells.size() != columns) return wrong();
    const auto* const key = std::get_if<table::blob>(&cells[0]);
    const auto* const document = std::get_if<std::string>(&cells[1]);
    const auto* const digest = std::get_if<table::blob>(&cells[2]);
    const auto* const changed = std::get_if<wall_time>(&cells[3]);
    if (key == nullptr || document == nullptr || digest == nullptr || changed == nullptr)
        return wrong();
    if (key->content.size() != fingerprint::size_bytes) return wrong();
    fingerprint::bytes_type bytes{};
    std::ranges::transform(
        key->content, bytes.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    return stored_facts{
        .print = fingerprint(bytes),
        .document = *document,
        .digest = digest->content,
        .changed = *changed};
}

}  // namespace muster::fleet
