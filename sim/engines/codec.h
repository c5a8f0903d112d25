#pragma once

#include "base/number.h"
#include "base/result.h"

#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace muster::sim {

// Values as bytes, for packets and journals of the simulated engines. A struct is encoded by one
// function that names its members and serves both directions:
//
// void fields(auto& archive, is<kv::erase> auto& value) { archive(value.key); }
template <class T, class U>
concept is = std::same_as<std::remove_const_t<T>, U>;

class encoder {
public:
    template <class... Values>
    void operator()(const Values&... values) {
        (add(values), ...);
    }
    std::string take_bytes() { return std::move(bytes_); }

private:
    void add(const std::string& text) {
        add(text.size());
        bytes_ += text;
    }
    void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
    template <class T>
        requires std::integral<T> || std::is_enum_v<T>
    void add(T number) {
        auto remaining = static_cast<std::uint64_t>(number);
        for (; remaining >= 0x80; remaining >>= 7) bytes_ += static_cast<char>(remaining | 0x80);
        bytes_ += static_cast<char>(remaining);
    }
    template <class Tag>
    void add(const number<Tag>& position) {
        add(position.value());
    }
    template <class Rep, class Period>
    void add(const std::chrono::duration<Rep, Period>& span) {
        add(span.count());
    }
    template <class Clock, class Duration>
    void add(const std::chrono::time_point<Clock, Duration>& when) {
        add(when.time_since_epoch());
    }
    template <class T>
    void add(const std::optional<T>& maybe) {
        add(maybe.has_value());
        if (maybe) add(*maybe);
    }
    template <class T>
    void add(const std::vector<T>& list) {
        add(list.size());
        for (const auto& element : list) add(element);
    }
    template <class... Ts>
    void add(const std::variant<Ts...>& choice) {
        add(choice.index());
        std::visit([this](const auto& chosen) { this->add(chosen); }, choice);
    }
    void add(const error& failure) { (*this)(failure.code(), failure.detail()); }
    template <class T>
    void add(const result<T>& outcome) {
        add(outcome.has_value());
        if (!outcome) return add(outcome.error());
        if constexpr (!std::is_void_v<T>) add(*outcome);
    }
    template <class T>
        requires std::is_class_v<T>
    void add(const T& value) {
        fields(*this, value);
    }

    std::string bytes_;
};

class decoder {
public:
    explicit decoder(std::string_view bytes) : remaining_(bytes) {}

    template <class... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }
    // All bytes were valid, and none are left.
    bool is_complete() const { return valid_ && remaining_.empty(); }

private:
    std::uint64_t get_varint() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (remaining_.empty()) break;
            const auto byte = static_cast<unsigned char>(remaining_.front());
            remaining_.remove_prefix(1);
            number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return number;
        }
        valid_ = false;
        return 0;
    }
    void get(std::string& text) {
        const auto size = get_varint();
        if (size > remaining_.size()) {
            valid_ = false;
            return;
        }
        text.assign(remaining_.substr(0, size));
        remaining_.remove_prefix(size);
    }
    void get(double& number) { number = std::bit_cast<double>(get_varint()); }
    template <class T>
        requires std::integral<T> || std::is_enum_v<T>
    void get(T& number) {
        number = static_cast<T>(get_varint());
    }
    template <class Tag>
    void get(number<Tag>& position) {
        std::int64_t value = 0;
        get(value);
        position = number<Tag>(value);
    }
    template <class Rep, class Period>
    void get(std::chrono::duration<Rep, Period>& span) {
        Rep count = 0;
        get(count);
        span = std::chrono::duration<Rep, Period>(count);
    }
    template <class Clock, class Duration>
    void get(std::chrono::time_point<Clock, Duration>& when) {
        Duration since{};
        get(since);
        when = std::chrono::time_point<Clock, Duration>(since);
    }
    template <class T>
    void get(std::optional<T>& maybe) {
        bool present = false;
        get(present);
        if (present) get(maybe.emplace());
    }
    template <class T>
    void get(std::vector<T>& list) {
        const auto size = get_varint();
        if (size > remaining_.size() + 1) valid_ = false;  // every element takes at least a byte
        for (std::uint64_t i = 0; valid_ && i < size; ++i) {
            T element{};
            get(element);
            list.push_back(std::move(element));
        }
    }
    template <class... Ts>
    void get(std::variant<Ts...>& choice) {
        const auto index = get_varint();
        std::uint64_t candidate = 0;
        const bool match =
            ((candidate++ == index ? (get(choice.template emplace<Ts>()), true) : false) || ...);
        if (!match) valid_ = false;
    }
    void get(error& failure) {
        errc code{};
        std::string detail;
        (*this)(code, detail);
        failure = error(code, std::move(detail));
    }
    template <class T>
    void get(result<T>& outcome) {
        bool ok = false;
        get(ok);
        if (!ok) {
            error failure(errc::corrupt, {});
            get(failure);
            outcome = std::unexpected(std::move(failure));
        } else if constexpr (std::is_void_v<T>) {
            outcome = result<void>();
        } else {
            T value{};
            get(value);
            outcome = std::move(value);
        }
    }
    template <class T>
        requires std::is_class_v<T>
    void get(T& value) {
        fields(*this, value);
    }

    std::string_view remaining_;
    bool valid_ = true;
};

template <class T>
std::string encode(const T& value) {
    encoder encode_value;
    encode_value(value);
    return encode_value.take_bytes();
}

// Whether the bytes of a variant (of fewer than 128 kinds) hold this kind, without decoding the
// rest.
template <class Kind, class... Kinds>
bool encodes(std::type_identity<std::variant<Kinds...>> /*variant*/, std::string_view bytes) {
    static_assert(sizeof...(Kinds) < 128);
    std::size_t index = 0;
    const bool match = ((std::same_as<Kind, Kinds> || (++index, false)) || ...);
    return match && !bytes.empty() && static_cast<unsigned char>(bytes.front()) == index;
}

// errc::corrupt unless the bytes are exactly one such value.
template <class T>
result<T> decode(std::string_view bytes) {
    T value{};
    decoder decode_value(bytes);
    decode_value(value);
    if (!decode_value.is_complete()) return fail(errc::corrupt, "malformed bytes");
    return value;
}

}  // namespace muster::sim
