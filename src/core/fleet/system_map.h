#pragma once

#include "core/fleet/compact_system_record.h"
#include "core/model/fingerprint.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::fleet {

// Systems by fingerprint, in its order. Newer versions take the place of older ones, whatever order
// they come in; an evicted record is forgotten.
class system_map {
public:
    struct outcome {
        bool changed = false;
        std::optional<compact_system_record> before;
    };

    outcome apply(const system_record& row, std::uint8_t reading);

    const compact_system_record* find(const fingerprint& print) const;

    // Up to `count` systems behind `after`, or from the first on.
    using item = std::pair<const fingerprint, compact_system_record>;
    std::vector<const item*> page(const std::optional<fingerprint>& after, std::size_t count) const;

    // Forgets what the reading did not see; gives it back.
    std::vector<std::pair<fingerprint, compact_system_record>> forget_unseen(std::uint8_t reading);

    // The first system whose fingerprint starts with these eight bytes and meets `wanted`.
    template <class Predicate>
    const item* find_prefix(std::uint64_t prefix, Predicate predicate) const {
        for (auto at = systems_.lower_bound(first_with(prefix));
             at != systems_.end() && prefix_of(at->first) == prefix;
             ++at)
            if (predicate(at->second)) return &*at;
        return nullptr;
    }
    static std::uint64_t prefix_of(const fingerprint& print);

    std::size_t size() const { return systems_.size(); }

private:
    static fingerprint first_with(std::uint64_t prefix);

    std::map<fingerprint, compact_system_record> systems_;
};

}  // namespace muster::fleet
