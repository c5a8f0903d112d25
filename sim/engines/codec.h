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

// Values as bytes, for packets and journals of the simulated engines. A struct takes part by one
// function that names its members and serves both directions:
//
//   void fields(auto& archive, is<kv::erase> auto& what) { archive(what.key); }
template <class T, class U>
concept is = std::same_as<std::remove_const_t<T>, U>;

class encoder {
public:
    template <class... Values>
    void operator()(const Values&... values) {
        (add(values), ...);
    }
    std::string take() { return std::move(bytes_); }

private:
    void add(const std::string& text) {
        add(text.size());
        bytes_ += text;
    }
    void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
    template <class T>
        requires std::integral<T> || std::is_enum_v<T>
    void add(T number) {
        auto left = static_cast<std::uint64_t>(number);
        for (; left >= 0x80; left >>= 7) bytes_ += static_cast<char>(left | 0x80);
        bytes_ += static_cast<char>(left);
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
        for (const auto& each : list) add(each);
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
    explicit decoder(std::string_view bytes) : left_(bytes) {}

    template <class... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }
    // All was there, and nothing is left over.
    bool sound() const { return sound_ && left_.empty(); }

private:
    std::uint64_t get_varint() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (left_.empty()) break;
            const auto byte = static_cast<unsigned char>(left_.front());
            left_.remove_prefix(1);
            number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return number;
        }
        sound_ = false;
        return 0;
    }
    void get(std::string& text) {
        const auto size = get_varint();
        if (size > left_.size()) {
            sound_ = false;
            return;
        }
        text.assign(left_.substr(0, size));
        left_.remove_prefix(size);
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
        bool there = false;
        get(there);
        if (there) get(maybe.emplace());
    }
    template <class T>
    void get(std::vector<T>& list) {
        const auto size = get_varint();
        if (size > left_.size() + 1) sound_ = false;  // every element takes at least a byte
        for (std::uint64_t i = 0; sound_ && i < size; ++i) {
            T each{};
            get(each);
            list.push_back(std::move(each));
        }
    }
    template <class... Ts>
    void get(std::variant<Ts...>& choice) {
        const auto index = get_varint();
        std::uint64_t candidate = 0;
        const bool match =
            ((candidate++ == index ? (get(choice.template emplace<Ts>()), true) : false) || ...);
        if (!match) sound_ = false;
    }
    void get(error& failure) {
        errc code{};
        std::string detail;
        (*this)(code, detail);
        failure = error(code, std::move(detail));
    }
    template <class T>
    void get(result<T>& outcome) {
        bool well = false;
        get(well);
        if (!well) {
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

    std::string_view left_;
    bool sound_ = true;
};

template <class T>
std::string encode(const T& value) {
    encoder out;
    out(value);
    return out.take();
}

// Whether the bytes of a variant (of fewer than 128 kinds) hold this one, without decoding the
// rest.
template <class Kind, class... Kinds>
bool encodes(std::type_identity<std::variant<Kinds...>> /*of*/, std::string_view bytes) {
    static_assert(sizeof...(Kinds) < 128);
    std::size_t index = 0;
    const bool match = ((std::same_as<Kind, Kinds> || (++index, false)) || ...);
    return match && !bytes.empty() && static_cast<unsigned char>(bytes.front()) == index;
}

// errc::corrupt when the bytes are not exactly one such value.
template <class T>
result<T> decode(std::string_view bytes) {
    T value{};
    decoder in(bytes);
    in(value);
    if (!in.sound()) return fail(errc::corrupt, "malformed bytes");
    return value;
}

}  // namespace muster::sim
