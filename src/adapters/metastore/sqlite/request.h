#pragma once

#include "adapters/metastore/sqlite/delta.h"
#include "base/result.h"
#include "base/time.h"
#include "core/kv/store.h"
#include "ports/async.h"

#include <cstddef>
#include <optional>
#include <utility>

namespace muster::metastore_sqlite {

// The state that a request is evaluated against, on the store thread.
struct evaluation {
    kv::store& store;
    delta& changes;
    instant now;
};

enum class access { read, write };

// A request of a caller. It is evaluated first. When its group is in the file it is completed,
// otherwise refused; exactly one of the two, once.
class request {
public:
    request(access kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {}
    request(const request&) = delete;
    request& operator=(const request&) = delete;
    virtual ~request() = default;

    access kind() const { return kind_; }
    std::size_t bytes() const { return bytes_; }

    virtual void evaluate(metastore_sqlite::evaluation& evaluation) = 0;
    virtual void complete() = 0;
    virtual void refuse(const error& reason) = 0;

private:
    access kind_;
    std::size_t bytes_;
};

// `Evaluate` is called with evaluation& and returns result<T>.
template <class T, class Evaluate>
class request_of final : public request {
public:
    request_of(access kind, std::size_t bytes, Evaluate evaluate, completion<T> done)
        : request(kind, bytes), evaluate_(std::move(evaluate)), done_(std::move(done)) {}

    void evaluate(metastore_sqlite::evaluation& evaluation) override {
        outcome_ = evaluate_(evaluation);
    }
    void complete() override { done_(*std::move(outcome_)); }
    void refuse(const error& reason) override { done_(fail(reason)); }

private:
    Evaluate evaluate_;
    completion<T> done_;
    std::optional<result<T>> outcome_;
};

}  // namespace muster::metastore_sqlite
