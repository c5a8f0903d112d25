#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "ports/contract/run_concurrently.h"
#include "tests/harness/process.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

// A place for a file that can run out of space and get it back.
class limited_disk {
public:
    limited_disk() = default;
    limited_disk(const limited_disk&) = delete;
    limited_disk& operator=(const limited_disk&) = delete;
    virtual ~limited_disk() = default;

    virtual std::filesystem::path directory() const = 0;
    virtual void fill() = 0;
    virtual void make_room() = 0;
};

// A small file system of its own. Needs the right to mount.
class small_file_system final : public limited_disk {
public:
    static bool possible() {
        const harness::temporary_directory probe("mount");
        if (::mount("tmpfs", probe.path().c_str(), "tmpfs", 0, "size=64k") != 0) return false;
        ::umount2(probe.path().c_str(), MNT_DETACH);
        return true;
    }

    small_file_system() {
        REQUIRE(::mount("tmpfs", at_.path().c_str(), "tmpfs", 0, "size=8m") == 0);
    }
    ~small_file_system() override { ::umount2(at_.path().c_str(), MNT_DETACH); }

    std::filesystem::path directory() const override { return at_.path(); }
    void fill() override {
        const int ballast =
            ::open(ballast_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        REQUIRE(ballast >= 0);
        const std::string page(4096, 'b');
        while (::write(ballast, page.data(), page.size()) > 0) {}
        CHECK(errno == ENOSPC);
        ::close(ballast);
    }
    void make_room() override { std::filesystem::remove(ballast_); }

private:
    harness::temporary_directory at_{"small"};
    std::filesystem::path ballast_ = at_.path() / "ballast";
};

// The kernel's limit on the size of a file, for those who cannot mount.
class file_size_limit final : public limited_disk {
public:
    file_size_limit() : before_(::signal(SIGXFSZ, SIG_IGN)) {
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &normal_) == 0);
    }
    ~file_size_limit() override {
        set(normal_.rlim_cur);
        ::signal(SIGXFSZ, before_);
    }

    std::filesystem::path directory() const override { return at_.path(); }
    void fill() override { set(512); }
    void make_room() override { set(normal_.rlim_cur); }

private:
    void set(rlim_t bytes) const {
        const rlimit rlimit{.rlim_cur = bytes, .rlim_max = normal_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &rlimit) == 0);
    }

    harness::temporary_directory at_{"limited"};
    sighandler_t before_;
    rlimit normal_{};
};

// What callers were told of their keys.
struct record {
    std::set<std::string> acknowledged;
    std::set<std::string> refused;
};

awaitable<void> put_one(metastore& in, std::string key, record& record) {
    const std::string value(8 * 1024, 'v');
    const auto verdict = co_await in.commit({.then = {kv::put{key, value}}});
    if (verdict) {
        record.acknowledged.insert(key);
    } else {
        CHECK_MESSAGE(verdict.error().code() == errc::unavailable, verdict.error().detail());
        record.refused.insert(key);
    }
}

void put_some(metastore& in, const std::string& name, record& record) {
    std::vector<awaitable<void>> all;
    for (int i = 0; i < 20; ++i) all.push_back(put_one(in, name + std::to_string(i), record));
    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));
}

std::set<std::string> keys_in(muster::metastore& metastore) {
    std::set<std::string> keys;
    const auto page = harness::run_sync(metastore.range({}));
    REQUIRE(page.has_value());
    for (const auto& entry : page->entries) keys.insert(entry.key);
    return keys;
}

awaitable<void> follow(metastore_watch& watch, std::set<std::string>& observed, std::string last) {
    while (!observed.contains(last)) {
        const auto event = co_await watch.next();
        REQUIRE(event.has_value());
        REQUIRE(std::holds_alternative<kv::change_batch>(*event));
        for (const auto& result : std::get<kv::change_batch>(*event).changes) {
            CHECK(observed.insert(kv::key_of(result)).second);
        }
    }
}

void live_through_a_full_disk(limited_disk& disk) {
    const auto file = disk.directory() / "metastore.db";
    auto store = sqlite_metastore::open(file, {.write_retry = 10ms}).value();
    const auto watch = store->watch("", kv::revision(1));
    record response;
    int attempt = 0;
    put_some(*store, "before/", response);
    REQUIRE(response.acknowledged.size() == 20);

    disk.fill();
    harness::eventually("the disk is found full", [&] {
        put_some(*store, "full/" + std::to_string(++attempt) + "/", response);
        return response.refused.size() >= 60;
    });
    CHECK(keys_in(*store) == response.acknowledged);
    CHECK(store->statistics().file_failures > 0);

    disk.make_room();
    harness::eventually("writes are taken again", [&] {
        record after;
        put_some(*store, "after/" + std::to_string(++attempt) + "/", after);
        const bool reserved = !after.acknowledged.empty();
        response.acknowledged.merge(after.acknowledged);
        response.refused.merge(after.refused);
        return reserved;
    });
    const auto truth = keys_in(*store);
    CHECK(truth == response.acknowledged);
    std::set<std::string> observed;
    put_some(*store, "last/", response);
    harness::real_event_loop().run(follow(*watch, observed, "last/0"));
    for (const auto& key : truth) CHECK_MESSAGE(observed.contains(key), key);
    for (const auto& key : response.refused) CHECK_MESSAGE(!observed.contains(key), key);

    store.reset();
    store = sqlite_metastore::open(file).value();
    CHECK(keys_in(*store) == response.acknowledged);
}

TEST_CASE("a full disk refuses writes, reads and watches go on, and writes when space returns") {
    SUBCASE("by a limit on the size of files") {
        file_size_limit disk;
        live_through_a_full_disk(disk);
    }
    SUBCASE("by a file system without space") {
        if (!small_file_system::possible()) {
            MESSAGE("not tried: this user may not mount a file system");
            return;
        }
        small_file_system disk;
        live_through_a_full_disk(disk);
    }
}

}  // namespace
}  // namespace muster
