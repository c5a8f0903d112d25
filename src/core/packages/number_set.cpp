#include "core/packages/number_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::packages {
namespace {

constexpr unsigned bits = 7;
constexpr unsigned more = 0x80;
constexpr unsigned shift_max = 28;

}  // namespace

number_set make_set(std::vector<std::uint32_t> numbers) {
    std::ranges::sort(numbers);
    const auto twice = std::ranges::unique(numbers);
    numbers.erase(twice.begin(), twice.end());
    return numbers;
}

number_set united(const number_set& one, const number_set& other) {
    number_set result;
    result.reserve(one.size() + other.size());
    std::ranges::set_union(one, other, std::back_inserter(result));
    return result;
}

number_set without(const number_set& from, const number_set& reserved) {
    number_set result;
    std::ranges::set_difference(from, reserved, std::back_inserter(result));
    return result;
}

bool have_common(const number_set& one, const number_set& other) {
    const auto& few = one.size() < other.size() ? one : other;
    const auto& many = one.size() < other.size() ? other : one;
    return std::ranges::any_of(few, [&many](std::uint32_t each) { return contains(many, each); });
}

bool contains(const number_set& all, std::uint32_t number) {
    return std::ranges::binary_search(all, number);
}

std::string encode(const number_set& numbers) {
    std::string result;
    std::uint32_t last = 0;
    for (const auto number : numbers) {
        auto left = number - last;
        last = number;
        for (; left >= more; left >>= bits) result += static_cast<char>((left & (more - 1)) | more);
        result += static_cast<char>(left);
    }
    return result;
}

result<number_set> decode_numbers(std::string_view bytes) {
    const auto wrong = [] {
        return fail(errc::corrupt, "invalid encoding of a number set");
    };
    number_set result;
    std::uint64_t last = 0;
    while (!bytes.empty()) {
        std::uint64_t step = 0;
        for (unsigned shift = 0;; shift += bits) {
            if (bytes.empty() || shift > shift_max) return wrong();
            const auto byte = static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            step |= std::uint64_t{byte & (more - 1)} << shift;
            if ((byte & more) == 0) break;
        }
        last += step;
        if (step == 0 || last > UINT32_MAX) return wrong();
        result.push_back(static_cast<std::uint32_t>(last));
    }
    return result;
}

}  // namespace muster::packages
