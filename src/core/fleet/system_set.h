#pragma once

#include "base/result.h"
#include "core/model/system.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct roaring_bitmap_s;

namespace muster::fleet {

// A set of systems by their numbers, a value like any other: a copy is a copy. A compressed bitmap:
// a million systems take 128 KiB at most, a span of numbers a few bytes, and two sets are united or
// intersected without a look at each member. Members come in the order of their numbers.
//
// Any number from 0 to 4,294,967,295 may be a member. What was moved from may only be assigned to.
class system_set {
public:
    system_set();
    system_set(std::initializer_list<system_number> members);
    system_set(const system_set& other);
    system_set(system_set&& other) noexcept;
    system_set& operator=(const system_set& other);
    system_set& operator=(system_set&& other) noexcept;
    ~system_set();

    // The numbers from `first` to `last`, both included; none if `last` is smaller.
    static system_set range(system_number first, system_number last);
    // Any order, any repetition; the fastest if in order.
    static system_set of(std::span<const std::uint32_t> members);

    // Whether the set changed.
    bool add(system_number member);
    bool remove(system_number member);

    bool contains(system_number member) const;
    std::size_t size() const;
    bool empty() const;
    std::optional<system_number> smallest() const;
    std::optional<system_number> largest() const;

    system_set& operator|=(const system_set& other);
    system_set& operator&=(const system_set& other);
    system_set& operator-=(const system_set& other);
    friend system_set operator|(const system_set& one, const system_set& other);
    friend system_set operator&(const system_set& one, const system_set& other);
    friend system_set operator-(const system_set& one, const system_set& other);
    friend bool operator==(const system_set& one, const system_set& other);

    static system_set union_of(std::span<const system_set* const> sets);

    // How many members both have, without making the intersection.
    std::size_t common_with(const system_set& other) const;
    bool intersects(const system_set& other) const;
    bool subset_of(const system_set& other) const;

    // How many members are not larger than `member`.
    std::size_t rank(system_number member) const;

    // The members from `from` on, in order, as many as there is room for; how many that were.
    std::size_t read(system_number from, std::span<std::uint32_t> into) const;
    std::vector<system_number> page(system_number from, std::size_t count) const;

    // Calls `visit(system_number)` for each member from `from` on, in order. `visit` may not change
    // this set.
    template <class Visit>
    void for_each(Visit visit, system_number from = system_number(0)) const {
        std::array<std::uint32_t, 256> some{};
        for (std::int64_t next = from.value(); next <= UINT32_MAX;) {
            const std::size_t count = read(system_number(next), some);
            for (std::size_t at = 0; at < count; ++at) visit(system_number(some[at]));
            if (count < some.size()) return;
            next = std::int64_t{some.back()} + 1;
        }
    }

    // The portable format of roaring bitmaps, which other languages' libraries read, as small as it
    // gets. Equal sets need not give equal bytes.
    std::string serialise() const;
    // Strict: errc::invalid for whatever is not exactly one well-formed set of at most
    // `serialised_size_max` bytes. Nothing in the bytes is believed before it was checked.
    static result<system_set> parse(std::string_view bytes);
    static constexpr std::size_t serialised_size_max = std::size_t{64} << 20U;

    // Spans of numbers become spans, and spare room is given back: for sets that are kept.
    void compact();
    // What the set takes in memory, about.
    std::size_t memory() const;

private:
    struct release {
        void operator()(roaring_bitmap_s* bits) const;
    };
    using handle = std::unique_ptr<roaring_bitmap_s, release>;

    explicit system_set(roaring_bitmap_s* bits);
    roaring_bitmap_s* get() { return bits_.get(); }
    const roaring_bitmap_s* get() const { return bits_.get(); }

    handle bits_;
};

}  // namespace muster::fleet
