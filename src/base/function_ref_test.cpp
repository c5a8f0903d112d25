#include "base/function_ref.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace muster {
namespace {

int times_three(int number) {
    return number * 3;
}

constexpr int constant_of(function_ref<int(int)> choose) {
    return choose(7);
}

constexpr int times_two(int number) {
    return number * 2;
}

static_assert(constant_of(times_two) == 14);
static_assert(std::is_trivially_copyable_v<function_ref<void()>>);
static_assert(sizeof(function_ref<void()>) == 2 * sizeof(void*));
static_assert(!std::is_constructible_v<function_ref<int(int)>, std::string>);
static_assert(!std::is_constructible_v<function_ref<std::string()>, int (*)()>);

int sum_of(const std::vector<int>& numbers, function_ref<int(int)> value_of) {
    int sum = 0;
    for (const auto number : numbers) sum += value_of(number);
    return sum;
}

TEST_CASE("a function reference calls a temporary lambda and a plain function") {
    CHECK(sum_of({1, 2}, [](int number) { return number + 1; }) == 5);
    CHECK(sum_of({1, 2}, times_three) == 9);
    CHECK(sum_of({1, 2}, &times_three) == 9);
}

TEST_CASE("a function reference changes the callable it refers to") {
    auto counter = [calls = 0](int) mutable {
        return ++calls;
    };

    CHECK(sum_of({1, 1, 1}, counter) == 6);
    CHECK(counter(1) == 4);
}

TEST_CASE("a function reference calls a const callable that cannot be copied") {
    const auto owner = [owned = std::make_unique<int>(5)](int number) {
        return *owned + number;
    };

    CHECK(sum_of({1, 2}, owner) == 13);
}

TEST_CASE("a function reference hands on references and movable arguments") {
    const auto append = [](std::string& to, std::unique_ptr<std::string> text) {
        to += *text;
    };
    const function_ref<void(std::string&, std::unique_ptr<std::string>)> appended = append;
    std::string word = "pa";

    appended(word, std::make_unique<std::string>("tch"));

    CHECK(word == "patch");
}

TEST_CASE("a function reference drops the result of a call when it returns nothing") {
    int calls = 0;
    const auto counted = [&calls] {
        return ++calls;
    };
    const function_ref<void()> call = counted;

    call();

    CHECK(calls == 1);
}

}  // namespace
}  // namespace muster
