#pragma once

#include "core/packages/shelf.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/content/nouns.h"
#include "services/content/package_row.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"

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
class noun_book {
public:
    using ref = std::shared_ptr<const T>;

    ref find(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }
    ref find(std::uint32_t number) const {
        const auto found = by_number_.find(number);
        return found == by_number_.end() ? nullptr : found->second;
    }
    std::vector<ref> all() const {
        std::vector<ref> made;
        made.reserve(by_name_.size());
        for (const auto& [name, each] : by_name_) made.push_back(each);
        return made;
    }
    std::size_t size() const { return by_name_.size(); }

    void put(T what) {
        auto made = std::make_shared<const T>(std::move(what));
        by_number_.insert_or_assign(made->row.number, made);
        by_name_.insert_or_assign(made->row.name, std::move(made));
    }
    void erase(std::string_view name) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end()) return;
        by_number_.erase(found->second->row.number);
        by_name_.erase(found);
    }

private:
    std::map<std::string, ref, std::less<>> by_name_;
    std::unordered_map<std::uint32_t, ref> by_number_;
};

// The cluster's channels, repositories, packages, errata, profiles and subscriptions, followed from
// the ledger into memory. What it gives stands still, whatever happens meanwhile. Thread-safe.
class library {
public:
    library(ledger& records, clock& time, runtime::logger& log);
    library(const library&) = delete;
    library& operator=(const library&) = delete;

    // Follows the ledger until it is cancelled.
    boost::asio::awaitable<void> run();
    // Reads what is new now: whoever answers somebody does so first, and so knows what any server
    // was told before.
    async<void> catch_up();
    // Forgets which channels and repositories there are, and reads them anew.
    async<void> read_anew();

    // Another one whenever a channel or a repository may be; null before everything was read once.
    std::shared_ptr<const void> definitions_stamp() const;

    template <class T>
    std::shared_ptr<const T> find(std::string_view name) const {
        const std::shared_lock lock(guard_);
        return book<T>().find(name);
    }
    template <class T>
    std::shared_ptr<const T> find(std::uint32_t number) const {
        const std::shared_lock lock(guard_);
        return book<T>().find(number);
    }
    template <class T>
    std::vector<std::shared_ptr<const T>> all() const {
        const std::shared_lock lock(guard_);
        return book<T>().all();
    }
    template <class T>
    std::size_t count() const {
        const std::shared_lock lock(guard_);
        return book<T>().size();
    }

    subscription_ref subscription_of(system_number which) const {
        return find<subscription>(std::to_string(which.value()));
    }

    package_ref find_package(std::uint32_t number) const;
    package_ref find_package(const std::string& identity) const;
    std::vector<package_ref> packages_of(const packages::number_set& numbers) const;
    std::vector<package_ref> all_packages() const;
    std::size_t package_count() const;

    // What these channels have together; made once and kept while nothing of it changes.
    std::shared_ptr<const packages::shelf> shelf_of(const std::vector<std::string>& labels) const;

    // The whole of what memory has only a part of. errc::not_found.
    async<content_record> read_record(record_kind kind, std::string name) const;
    async<package_row> read_package(std::uint32_t number) const;

    // Writes a change of what is there, or something new, and reads it back. errc::conflict when
    // somebody else has changed it since it was looked at.
    async<void> write(content_record wanted);
    async<void> write(std::vector<content_record> wanted);
    async<void> write(std::vector<package_row> wanted);

    void export_to(runtime::metrics& to) const;

private:
    struct kept_shelf {
        std::shared_ptr<const packages::shelf> made;
        std::uint64_t used = 0;
    };

    template <class T>
    const noun_book<T>& book() const {
        return std::get<noun_book<T>>(books_);
    }

    async<void> follow_records();
    template <class T>
    async<noun_book<T>> read_book(record_kind kind, result<T> (*decode)(content_record));
    void apply(package_row row);
    void apply(content_record row);
    template <class T>
    void apply_noun(result<T> noun, const content_record& row);

    ledger& records_;
    clock& time_;

    mutable std::shared_mutex guard_;
    std::tuple<
        noun_book<channel>,
        noun_book<repository_noun>,
        noun_book<erratum>,
        noun_book<profile>,
        noun_book<subscription>>
        books_;
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
