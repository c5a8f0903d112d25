#include "core/placement/slot_table.h"

#include "core/placement/packed.h"

namespace muster::placement {
namespace {

// The epochs are encoded by pack() (1), or by pack_span() (2) if that is shorter: in tables that
// very many small plans changed. Older programs cannot read (2).
constexpr char epochs_by_kind = 1;
constexpr char epochs_by_span = 2;

}  // namespace

std::map<node_number, std::vector<slot>> slot_table::by_owner() const {
    std::map<node_number, std::vector<slot>> owned;
    for (std::size_t number = 0; number < slot::count; ++number)
        owned[slots_[number].owner].emplace_back(number);
    return owned;
}

result<slot_table> slot_table::apply_moves(const std::vector<move>& moves) const {
    slot_table next = *this;
    next.current_ = current_.next();
    for (const placement::move& move : moves) {
        placement::ownership& entry = next.slots_[move.moved_slot.number()];
        if (entry.owner != move.from)
            return fail(
                errc::conflict, "slot " + std::to_string(move.moved_slot.number()) + " moved");
        entry = {.owner = move.to, .since = next.current_};
    }
    return next;
}

std::string slot_table::encode() const {
    std::vector<std::int64_t> owners;
    std::vector<std::int64_t> epochs;
    for (const ownership& entry : slots_) {
        owners.push_back(entry.owner.value());
        epochs.push_back(entry.since.value());
    }
    std::string by_kind;
    pack(by_kind, epochs);
    std::string by_span;
    pack_span(by_span, epochs);
    const bool use_span = by_span.size() < by_kind.size();
    std::string out(1, use_span ? epochs_by_span : epochs_by_kind);
    write_varint(out, static_cast<std::uint64_t>(current_.value()));
    pack(out, owners);
    out += use_span ? by_span : by_kind;
    return out;
}

result<slot_table> slot_table::decode(std::string_view bytes) {
    const char version = bytes.empty() ? '\0' : bytes.front();
    if (version != epochs_by_kind && version != epochs_by_span)
        return fail(errc::corrupt, "unknown slot table version");
    bytes.remove_prefix(1);
    slot_table table;
    TRY(const std::uint64_t current, read_varint(bytes));
    table.current_ = epoch(static_cast<std::int64_t>(current));
    TRY(const auto owners, unpack(bytes, slot::count));
    TRY(const auto epochs,
        version == epochs_by_span ? unpack_span(bytes, slot::count) : unpack(bytes, slot::count));
    if (!bytes.empty()) return fail(errc::corrupt, "unexpected bytes after the slot table");
    for (std::size_t number = 0; number < slot::count; ++number) {
        if (epochs[number] > table.current_.value())
            return fail(errc::corrupt, "a slot is newer than its table");
        table.slots_[number] = {
            .owner = node_number(owners[number]), .since = epoch(epochs[number])};
    }
    return table;
}

}  // namespace muster::placement
