#pragma once

#include "core/model/system.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace muster::targeting {

// One T for each system number; ranges without systems use no memory.
template <class T>
class system_indexed_array {
public:
    T& at(system_number system_number) {
        const auto place = static_cast<std::size_t>(system_number.value());
        if (place / page_size >= pages_.size()) pages_.resize(place / page_size + 1);
        auto& home = pages_[place / page_size];
        if (!home) home = std::make_unique<page>();
        return (*home)[place % page_size];
    }

    const T* find(system_number system_number) const {
        const auto place = static_cast<std::size_t>(system_number.value());
        if (place / page_size >= pages_.size() || !pages_[place / page_size]) return nullptr;
        return &(*pages_[place / page_size])[place % page_size];
    }

private:
    static constexpr std::size_t page_size = 1024;
    using page = std::array<T, page_size>;
    std::vector<std::unique_ptr<page>> pages_;
};

}  // namespace muster::targeting
