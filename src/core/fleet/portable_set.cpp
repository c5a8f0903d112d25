#include "core/fleet/portable_set.h"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::fleet {

namespace {

// The format: a cookie with the number of containers, for each its key and its size, where each
// stands, then the containers. One holds the members with the same upper 16 bits: as an ordered
// list if they are few, as runs if so flagged, as 65,536 bits otherwise. All little endian.
constexpr std::uint32_t cookie_without_runs = 12346;
constexpr std::uint32_t cookie_with_runs = 12347;
constexpr std::uint32_t containers_max = 65536;
constexpr std::uint32_t offsets_from = 4;  // with runs: fewer containers have no offsets
constexpr std::uint32_t listed_max = 4096;
constexpr std::size_t bitset_bytes = 8192;

struct container {
    std::uint32_t key = 0;
    std::uint32_t size = 0;
    bool runs = false;
};

std::unexpected<error> wrong(std::string text) {
    return fail(errc::invalid, "invalid system set: " + std::move(text));
}

class checker {
public:
    explicit checker(std::string_view bytes) : bytes_(bytes) {}

    result<void> check() {
        TRY(const bool with_runs, read_cookie());
        CHECK_OK(read_heads(with_runs));
        const bool with_offsets = !with_runs || containers_.size() >= offsets_from;
        const std::size_t offsets_at = at_;
        CHECK_OK(skip(with_offsets ? containers_.size() * 4 : 0));
        for (std::size_t index = 0; index < containers_.size(); ++index) {
            if (with_offsets && u32_at(offsets_at + index * 4) != at_)
                return wrong("container " + std::to_string(index) + " has a wrong offset");
            CHECK_OK(check_body(containers_[index]));
        }
        if (at_ != bytes_.size()) return wrong("unexpected trailing bytes");
        return {};
    }

private:
    std::uint8_t u8_at(std::size_t at) const { return static_cast<std::uint8_t>(bytes_[at]); }
    std::uint32_t u16_at(std::size_t at) const {
        return u8_at(at) | (std::uint32_t{u8_at(at + 1)} << 8U);
    }
    std::uint32_t u32_at(std::size_t at) const { return u16_at(at) | (u16_at(at + 2) << 16U); }

    // Moves behind the next `count` bytes, if they are there.
    result<void> skip(std::size_t count) {
        if (bytes_.size() - at_ < count) return wrong("truncated");
        at_ += count;
        return {};
    }

    result<bool> read_cookie() {
        CHECK_OK(skip(4));
        const std::uint32_t cookie = u32_at(0);
        if ((cookie & 0xffffU) == cookie_with_runs) {
            containers_.resize((cookie >> 16U) + 1);
            return true;
        }
        if (cookie != cookie_without_runs) return wrong("unknown header");
        CHECK_OK(skip(4));
        if (u32_at(4) > containers_max) return wrong("too many containers");
        containers_.resize(u32_at(4));
        return false;
    }

    result<void> read_heads(bool with_runs) {
        if (with_runs) {
            const std::size_t flags_at = at_;
            CHECK_OK(skip((containers_.size() + 7) / 8));
            for (std::size_t index = 0; index < containers_.size(); ++index)
                containers_[index].runs = ((u8_at(flags_at + index / 8) >> (index % 8)) & 1) != 0;
        }
        const std::size_t heads_at = at_;
        CHECK_OK(skip(containers_.size() * 4));
        for (std::size_t index = 0; index < containers_.size(); ++index) {
            container& container = containers_[index];
            container.key = u16_at(heads_at + index * 4);
            container.size = u16_at(heads_at + index * 4 + 2) + 1;
            if (index > 0 && container.key <= containers_[index - 1].key)
                return wrong("containers are not in ascending order");
        }
        return {};
    }

    result<void> check_body(const container& container) {
        if (container.runs) return check_runs(container);
        return container.size <= listed_max ? check_list(container) : check_bits(container);
    }

    result<void> check_list(const container& container) {
        const std::size_t from = at_;
        CHECK_OK(skip(std::size_t{container.size} * 2));
        for (std::size_t at = from + 2; at < at_; at += 2)
            if (u16_at(at) <= u16_at(at - 2)) return wrong("members are not in ascending order");
        return {};
    }

    result<void> check_bits(const container& container) {
        const std::size_t from = at_;
        CHECK_OK(skip(bitset_bytes));
        std::uint32_t count = 0;
        for (std::size_t at = from; at < at_; ++at)
            count += static_cast<std::uint32_t>(std::popcount(u8_at(at)));
        if (count != container.size) return wrong("container size does not match its content");
        return {};
    }

    result<void> check_runs(const container& container) {
        const std::size_t head = at_;
        CHECK_OK(skip(2));
        const std::uint32_t runs = u16_at(head);
        const std::size_t from = at_;
        CHECK_OK(skip(std::size_t{runs} * 4));
        std::uint32_t count = 0;
        std::uint32_t free_from = 0;  // the first number that may start a run
        for (std::size_t at = from; at < at_; at += 4) {
            const std::uint32_t first = u16_at(at);
            const std::uint32_t last = first + u16_at(at + 2);
            if (first < free_from) return wrong("runs are not in ascending order");
            if (last > 0xffffU) return wrong("run exceeds its container");
            count += last - first + 1;
            free_from = last + 2;
        }
        if (count != container.size) return wrong("container size does not match its content");
        return {};
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    std::vector<container> containers_;
};

}  // namespace

result<void> check_portable_set(std::string_view bytes) {
    return checker(bytes).check();
}

}  // namespace muster::fleet
