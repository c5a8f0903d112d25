#include "core/targeting/index/fact_index.h"

#include "core/targeting/index/packed_ids.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <xxhash.h>

namespace muster::targeting {
namespace {

constexpr std::size_t slots_initial = 1024;

std::vector<std::uint32_t> unpacked_ids(std::string_view bytes) {
    std::vector<std::uint32_t> ids;
    for_each_id(bytes, [&ids](std::uint32_t id) {
        ids.push_back(id);
        return true;
    });
    return ids;
}

}  // namespace

std::vector<fact> searchable(std::vector<fact> facts) {
    std::erase_if(facts, [](const fact& fact) {
        return fact.path.size() > fact_limits::path_bytes_max
               || fact.text.size() > fact_limits::text_bytes_max;
    });
    std::ranges::sort(facts);
    const auto duplicates = std::ranges::unique(facts);
    facts.erase(duplicates.begin(), duplicates.end());
    if (facts.size() > fact_limits::facts_max) facts.resize(fact_limits::facts_max);
    return facts;
}

std::uint64_t fact_index::hash_of(std::uint32_t path, std::string_view text) {
    return XXH3_64bits_withSeed(text.data(), text.size(), path);
}

// Where the value is, or where it would be.
std::size_t fact_index::slot_of(std::uint32_t path, std::string_view text) const {
    const auto mask = slots_.size() - 1;
    auto slot = hash_of(path, text) & mask;
    while (slots_[slot] != 0) {
        const auto& value = values_[slots_[slot] - 1];
        if (value.path == path && value.text.view() == text) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

const fact_index::value* fact_index::find(std::uint32_t path, std::string_view text) const {
    if (slots_.empty()) return nullptr;
    const auto id = slots_[slot_of(path, text)];
    return id == 0 ? nullptr : &values_[id - 1];
}

void fact_index::grow() {
    if (!slots_.empty() && (used_ + 1) * 4 < slots_.size() * 3) return;
    const auto old_slots = std::exchange(slots_, {});
    slots_.resize(old_slots.empty() ? slots_initial : 2 * old_slots.size());
    for (const auto id : old_slots) {
        if (id == 0) continue;
        const auto& value = values_[id - 1];
        slots_[slot_of(value.path, value.text.view())] = id;
    }
}

// What stands behind a gap must be found without it: it moves up.
void fact_index::erase_slot(std::size_t slot) {
    const auto mask = slots_.size() - 1;
    slots_[slot] = 0;
    --used_;
    for (auto next = (slot + 1) & mask; slots_[next] != 0; next = (next + 1) & mask) {
        const auto id = std::exchange(slots_[next], 0);
        const auto& value = values_[id - 1];
        slots_[slot_of(value.path, value.text.view())] = id;
    }
}

fact_index::value_id fact_index::intern(std::uint32_t path, std::string_view text) {
    grow();
    const auto slot = slot_of(path, text);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    value_id id = 0;
    if (free_.empty()) {
        id = static_cast<value_id>(values_.size());
        values_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    values_[id].text = packed_text(text);
    values_[id].path = path;
    slots_[slot] = id + 1;
    ++used_;
    auto& entry = paths_[path];
    entry.values.push_back(id);
    entry.signatures.push_back(signature_of(text));
    ++entry.live;
    return id;
}

void fact_index::release_value(value_id id) {
    auto& released = values_[id];
    erase_slot(slot_of(released.path, released.text.view()));
    const auto number = released.path;
    released = value{.text = {}, .systems = {}, .path = UINT32_MAX};
    free_.push_back(id);
    auto& entry = paths_[number];
    // Names of values that are gone stay listed until they are half of the list.
    if (--entry.live * 2 < entry.values.size()) compact_values(number);
}

void fact_index::compact_values(std::uint32_t path) {
    auto& entry = paths_[path];
    std::erase_if(entry.values, [&](value_id value_id) { return values_[value_id].path != path; });
    std::ranges::sort(entry.values);
    const auto duplicates = std::ranges::unique(entry.values);
    entry.values.erase(duplicates.begin(), duplicates.end());
    entry.signatures.clear();
    for (const auto value : entry.values)
        entry.signatures.push_back(signature_of(values_[value].text.view()));
}

std::optional<std::uint32_t> fact_index::path_of(const std::string& name) {
    const auto it = path_numbers_.find(name);
    if (it != path_numbers_.end()) return it->second;
    if (paths_.size() == fact_limits::paths_max) {
        ++left_out_;
        return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back({.name = name, .values = {}, .signatures = {}});
    path_numbers_.emplace(name, number);
    return number;
}

void fact_index::set(system_number system_number, std::span<const fact> facts) {
    std::vector<value_id> new_ids;
    for (const auto& fact : facts)
        if (const auto path = path_of(fact.path)) new_ids.push_back(intern(*path, fact.text));
    std::ranges::sort(new_ids);
    auto& ids = values_of_.at(system_number);
    const auto old_ids = unpacked_ids(ids.view());
    std::vector<value_id> removed;
    std::ranges::set_difference(old_ids, new_ids, std::back_inserter(removed));
    for (const auto id : new_ids) values_[id].systems.add(system_number);
    ids = packed_text(packed_ids(new_ids));
    for (const auto id : removed) {
        values_[id].systems.remove(system_number);
        if (values_[id].systems.empty()) release_value(id);
    }
}

std::vector<fact> fact_index::facts_of(system_number system_number) const {
    std::vector<fact> facts;
    const auto* const ids = values_of_.find(system_number);
    if (ids == nullptr) return facts;
    for (const auto id : unpacked_ids(ids->view()))
        facts.push_back(
            {.path = paths_[values_[id].path].name, .text = std::string(values_[id].text.view())});
    std::ranges::sort(facts);
    return facts;
}

}  // namespace muster::targeting
