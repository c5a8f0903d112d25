#pragma once

#include "core/packages/available_packages.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/content/content_types.h"
#include "services/content/package_row.h"

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace muster::content {

struct library_limits {
    static constexpr std::size_t packages_max = 500'000;  // some 400 bytes of memory each
    static constexpr std::size_t errata_max = 200'000;
    static constexpr std::size_t channels_max = 5'000;
    static constexpr std::size_t repositories_max = 5'000;
    static constexpr std::size_t profiles_max = 5'000;
    static constexpr std::size_t shelves_max = 32;  // kept ready
};

// One kind of things, by name and by number.
template <class T>
class named_index {
public:
    using ref = std::shared_ptr<const T>;

    ref find(std::string_view name) const {
        const auto it = by_name_.find(name);
        return it == by_name_.end() ? nullptr : it->second;
    }
    ref find(std::uint32_t number) const {
        const auto it = by_number_.find(number);
        return it == by_number_.end() ? nullptr : it->second;
    }
    std::vector<ref> all() const {
        std::vector<ref> refs;
        refs.reserve(by_name_.size());
        for (const auto& [name, each] : by_name_) refs.push_back(each);
        return refs;
    }
    std::size_t size() const { return by_name_.size(); }

    void put(T what) {
        auto result = std::make_shared<const T>(std::move(what));
        by_number_.insert_or_assign(result->row.number, result);
        by_name_.insert_or_assign(result->row.name, std::move(result));
    }
    void erase(std::string_view name) {
        const auto it = by_name_.find(name);
        if (it == by_name_.end()) return;
        by_number_.erase(it->second->row.number);
        by_name_.erase(it);
    }

private:
    std::map<std::string, ref, std::less<>> by_name_;
    std::unordered_map<std::uint32_t, ref> by_number_;
};

// The cluster's channels, repositories, packages, errata, profiles and subscriptions, followed from
// the ledger into memory. What it gives stands still, whatever happens meanwhile. Thread-safe.
class content_store {
public:
    content_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    content_store(const content_store&) = delete;
    content_store& operator=(const content_store&) = delete;

    // Follows the ledger until it is cancelled.
    boost::asio::awaitable<void> run();
    // Reads what is new now: whoever answers somebody does so first, and so knows what any server
    // was told before.
    async<void> refresh();
    // Forgets which channels and repositories there are, and reads them anew.
    async<void> reload();

    // Another one whenever a channel or a repository may be; null before everything was read once.
    std::shared_ptr<const void> definitions_stamp() const;

    template <class T>
    std::shared_ptr<const T> find(std::string_view name) const {
        const std::shared_lock lock(mutex_);
        return index<T>().find(name);
    }
    template <class T>
    std::shared_ptr<const T> find(std::uint32_t number) const {
        const std::shared_lock lock(mutex_);
        return index<T>().find(number);
    }
    template <class T>
    std::vector<std::shared_ptr<const T>> all() const {
        const std::shared_lock lock(mutex_);
        return index<T>().all();
    }
    template <class T>
    std::size_t count() const {
        const std::shared_lock lock(mutex_);
        return index<T>().size();
    }

    subscription_ref subscription_of(system_number system_number) const {
        return find<subscription>(std::to_string(system_number.value()));
    }

    package_ref find_package(std::uint32_t number) const;
    package_ref find_package(const std::string& identity) const;
    std::vector<package_ref> packages_of(const packages::number_set& numbers) const;
    std::vector<package_ref> all_packages() const;
    std::size_t package_count() const;

    // What these channels have together; made once and kept while nothing of it changes.
    std::shared_ptr<const packages::available_packages> shelf_of(
        const std::vector<std::string>& labels) const;

    // The whole of what memory has only a part of. errc::not_found.
    async<content_record> read_record(record_kind kind, std::string name) const;
    async<package_row> read_package(std::uint32_t number) const;

    // Writes a change of what is there, or something new, and reads it back. errc::conflict when
    // somebody else has changed it since it was looked at.
    async<void> write(content_record content);
    async<void> write(std::vector<content_record> contents);
    async<void> write(std::vector<package_row> desired);

    void export_to(runtime::metrics& to) const;

private:
    struct kept_shelf {
        std::shared_ptr<const packages::available_packages> made;
        std::uint64_t used = 0;
    };

    template <class T>
    const named_index<T>& index() const {
        return std::get<named_index<T>>(indexes_);
    }

    async<void> follow_records();
    template <class T>
    async<named_index<T>> read_index(record_kind kind, result<T> (*decode)(content_record));
    void apply(package_row row);
    void apply(content_record row);
    template <class T>
    void apply_record(result<T> noun, const content_record& row);

    ledger& ledger_;
    muster::clock& clock_;

    mutable std::shared_mutex mutex_;
    std::tuple<
        named_index<channel>,
        named_index<content_repository>,
        named_index<erratum>,
        named_index<profile>,
        named_index<subscription>>
        indexes_;
    std::unordered_map<std::uint32_t, package_ref> packages_;
    std::unordered_map<std::string, package_ref> by_identity_;
    std::map<std::pair<record_kind, std::string>, content_record> removed_;
    std::unordered_map<std::string, std::int64_t> removed_packages_;  // their numbers
    std::shared_ptr<const void> definitions_;
    runtime::table_follower<content_record> record_rows_;
    runtime::table_follower<package_row> package_rows_;

    mutable std::mutex shelves_guard_;
    mutable std::map<std::string, kept_shelf> shelves_;
    mutable std::uint64_t shelf_uses_ = 0;

public:
    // A name that was used before keeps its number, and goes on from its version.
    content_record begun_from(record_kind kind, const std::string& name) const;
    // The number of a package that was removed; zero: it never was here.
    std::uint32_t number_before(const std::string& identity) const;
};

}  // namespace muster::content
