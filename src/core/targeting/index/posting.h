#pragma once

#include "core/fleet/system_set.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace muster::targeting {

using fleet::system_set;

// Who has a value. Most values are one system's own: then there is no set, only its number.
class posting {
public:
    void add(system_number who) {
        if (!many_ && one_ == 0) {
            one_ = bits_of(who);
        } else if (many_) {
            many_->add(who);
        } else if (one_ != bits_of(who)) {
            many_ = std::make_unique<system_set>();
            many_->add(system_number(one_));
            many_->add(who);
        }
    }

    void remove(system_number system_number) {
        if (many_) {
            many_->remove(system_number);
        } else if (one_ == bits_of(system_number)) {
            one_ = 0;
        }
    }

    bool empty() const { return many_ ? many_->empty() : one_ == 0; }
    bool contains(system_number system_number) const {
        return many_ ? many_->contains(system_number) : one_ == bits_of(system_number);
    }

    // False only if no system of `within` is in the posting.
    bool may_meet(const system_set& within) const {
        return many_ || within.contains(system_number(one_));
    }

    // Collects systems of several postings: single ones in any order, sets unchanged.
    struct gathered {
        std::vector<std::uint32_t> singles;
        std::vector<const system_set*> sets;
        // Those of `within`: where these are few, each set is asked for them, and none is united
        // with the others first.
        system_set among(const system_set& within) const {
            constexpr std::size_t few = 20'000;
            auto match = system_set::of(singles) & within;
            if (sets.size() == 1 || within.size() <= few) {
                for (const auto* const each : sets) match |= within & *each;
            } else if (!sets.empty()) {
                match |= system_set::union_of(sets) & within;
            }
            return match;
        }
    };
    void gather(gathered& into) const {
        if (many_)
            into.sets.push_back(many_.get());
        else if (one_ != 0)
            into.singles.push_back(one_);
    }

private:
    // Numbers start at one; zero means no system.
    static std::uint32_t bits_of(system_number system_number) {
        return static_cast<std::uint32_t>(system_number.value());
    }

    std::unique_ptr<system_set> many_;
    std::uint32_t one_ = 0;
};

}  // namespace muster::targeting
