package dev.howdah.micronaut.internal;

import io.micronaut.context.event.ApplicationEventPublisher;
import io.micronaut.transaction.annotation.TransactionalEventListener;
import io.micronaut.transaction.annotation.TransactionalEventListener.TransactionPhase;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Methods that call something in a transaction, or in none. */
@Singleton
class Situations {
    private final ApplicationEventPublisher<Called> events;

    Situations(ApplicationEventPublisher<Called> events) {
        this.events = events;
    }

    /** Something to call at that time. */
    record Called(boolean before, Runnable work) {}

    @Transactional
    void required(Runnable work) {
        work.run();
    }

    @Transactional(TxType.REQUIRES_NEW)
    void requiresNew(Runnable work) {
        work.run();
    }

    @Transactional(TxType.SUPPORTS)
    void supports(Runnable work) {
        work.run();
    }

    @Transactional(TxType.NOT_SUPPORTED)
    void notSupported(Runnable work) {
        work.run();
    }

    @Transactional(TxType.NEVER)
    void never(Runnable work) {
        work.run();
    }

    @io.micronaut.transaction.annotation.Transactional(readOnly = true)
    void readOnly(Runnable work) {
        work.run();
    }

    @Transactional
    void beforeCommit(Runnable work) {
        events.publishEvent(new Called(true, work));
    }

    @Transactional
    void afterCommit(Runnable work) {
        events.publishEvent(new Called(false, work));
    }

    @Transactional(TxType.REQUIRES_NEW)
    void afterAnInnerCommit(Runnable work) {
        events.publishEvent(new Called(false, work));
    }

    @TransactionalEventListener(TransactionPhase.BEFORE_COMMIT)
    void before(Called called) {
        if (called.before()) called.work().run();
    }

    @TransactionalEventListener(TransactionPhase.AFTER_COMMIT)
    void after(Called called) {
        if (!called.before()) called.work().run();
    }
}
