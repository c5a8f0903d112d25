#include "core/fleet/system_set.h"

#include "base/assert.h"
#include "core/fleet/portable_set.h"

#include <roaring/roaring.h>

#include <algorithm>
#include <new>

namespace muster::fleet {

namespace {

std::uint32_t bits_of(system_number member) {
    MUSTER_ASSERT(member.value() >= 0);
    MUSTER_ASSERT(member.value() <= UINT32_MAX);
    return static_cast<std::uint32_t>(member.value());
}

roaring_bitmap_t* made(roaring_bitmap_t* bits) {
    if (bits == nullptr) throw std::bad_alloc();
    return bits;
}

}  // namespace

void system_set::release::operator()(roaring_bitmap_s* bits) const {
    roaring_bitmap_free(bits);
}

system_set::system_set(roaring_bitmap_s* bits) : bits_(made(bits)) {}

system_set::system_set() : system_set(roaring_bitmap_create()) {}

system_set::system_set(std::initializer_list<system_number> members) : system_set() {
    for (const system_number member : members) add(member);
}

system_set::system_set(const system_set& other) : system_set(roaring_bitmap_copy(other.get())) {}

system_set::system_set(system_set&& other) noexcept = default;

system_set& system_set::operator=(const system_set& other) {
    if (this != &other) bits_ = handle(made(roaring_bitmap_copy(other.get())));
    return *this;
}

system_set& system_set::operator=(system_set&& other) noexcept = default;

system_set::~system_set() = default;

system_set system_set::range(system_number first, system_number last) {
    if (last < first) return {};
    return system_set(
        roaring_bitmap_from_range(bits_of(first), std::uint64_t{bits_of(last)} + 1, 1));
}

system_set system_set::of(std::span<const std::uint32_t> members) {
    return system_set(roaring_bitmap_of_ptr(members.size(), members.data()));
}

bool system_set::add(system_number member) {
    return roaring_bitmap_add_checked(get(), bits_of(member));
}

bool system_set::remove(system_number member) {
    return roaring_bitmap_remove_checked(get(), bits_of(member));
}

bool system_set::contains(system_number member) const {
    return roaring_bitmap_contains(get(), bits_of(member));
}

std::size_t system_set::size() const {
    return roaring_bitmap_get_cardinality(get());
}

bool system_set::empty() const {
    return roaring_bitmap_is_empty(get());
}

std::optional<system_number> system_set::smallest() const {
    if (empty()) return std::nullopt;
    return system_number(roaring_bitmap_minimum(get()));
}

std::optional<system_number> system_set::largest() const {
    if (empty()) return std::nullopt;
    return system_number(roaring_bitmap_maximum(get()));
}

system_set& system_set::operator|=(const system_set& other) {
    roaring_bitmap_or_inplace(get(), other.get());
    return *this;
}

system_set& system_set::operator&=(const system_set& other) {
    roaring_bitmap_and_inplace(get(), other.get());
    return *this;
}

system_set& system_set::operator-=(const system_set& other) {
    // The library reads the one while it changes the other.
    if (this == &other)
        roaring_bitmap_clear(get());
    else
        roaring_bitmap_andnot_inplace(get(), other.get());
    return *this;
}

system_set operator|(const system_set& one, const system_set& other) {
    return system_set(roaring_bitmap_or(one.get(), other.get()));
}

system_set operator&(const system_set& one, const system_set& other) {
    return system_set(roaring_bitmap_and(one.get(), other.get()));
}

system_set operator-(const system_set& one, const system_set& other) {
    return system_set(roaring_bitmap_andnot(one.get(), other.get()));
}

bool operator==(const system_set& one, const system_set& other) {
    return roaring_bitmap_equals(one.get(), other.get());
}

system_set system_set::union_of(std::span<const system_set* const> sets) {
    std::vector<const roaring_bitmap_t*> all;
    all.reserve(sets.size());
    for (const system_set* one : sets) all.push_back(one->get());
    return system_set(roaring_bitmap_or_many(all.size(), all.data()));
}

std::size_t system_set::common_with(const system_set& other) const {
    return roaring_bitmap_and_cardinality(get(), other.get());
}

bool system_set::intersects(const system_set& other) const {
    return roaring_bitmap_intersect(get(), other.get());
}

bool system_set::subset_of(const system_set& other) const {
    return roaring_bitmap_is_subset(get(), other.get());
}

std::size_t system_set::rank(system_number member) const {
    return roaring_bitmap_rank(get(), bits_of(member));
}

std::size_t system_set::read(system_number from, std::span<std::uint32_t> into) const {
    roaring_uint32_iterator_t at{};
    roaring_init_iterator(get(), &at);
    if (!roaring_move_uint32_iterator_equalorlarger(&at, bits_of(from))) return 0;
    MUSTER_ASSERT(into.size() <= UINT32_MAX);
    return roaring_read_uint32_iterator(&at, into.data(), static_cast<std::uint32_t>(into.size()));
}

std::vector<system_number> system_set::page(system_number from, std::size_t count) const {
    std::vector<system_number> members;
    std::array<std::uint32_t, 256> some{};
    for (std::int64_t next = from.value(); members.size() < count && next <= UINT32_MAX;) {
        const std::size_t room = std::min(some.size(), count - members.size());
        const std::size_t got = read(system_number(next), std::span(some).first(room));
        for (std::size_t at = 0; at < got; ++at) members.emplace_back(std::int64_t{some[at]});
        if (got < room) break;
        next = members.back().value() + 1;
    }
    return members;
}

std::string system_set::serialise() const {
    system_set small = *this;
    small.compact();
    std::string bytes(roaring_bitmap_portable_size_in_bytes(small.get()), '\0');
    const std::size_t size = roaring_bitmap_portable_serialize(small.get(), bytes.data());
    MUSTER_ASSERT(size == bytes.size());
    return bytes;
}

result<system_set> system_set::parse(std::string_view bytes) {
    if (bytes.size() > serialised_size_max)
        return fail(
            errc::invalid,
            "system set has " + std::to_string(bytes.size()) + " bytes; limit of "
                + std::to_string(serialised_size_max) + " bytes exceeded");
    CHECK_OK(check_portable_set(bytes));
    roaring_bitmap_t* bits = roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
    if (bits == nullptr) return fail(errc::invalid, "invalid system set");
    return system_set(bits);
}

void system_set::compact() {
    roaring_bitmap_run_optimize(get());
    roaring_bitmap_shrink_to_fit(get());
}

std::size_t system_set::memory() const {
    roaring_statistics_t about{};
    roaring_bitmap_statistics(get(), &about);
    // The bitmap, and for each container its own head, its pointer, key and type.
    constexpr std::size_t per_container = 16 + 8 + 2 + 1;
    return sizeof(roaring_bitmap_t) + per_container * about.n_containers
           + about.n_bytes_array_containers + about.n_bytes_run_containers
           + about.n_bytes_bitset_containers;
}

}  // namespace muster::fleet
