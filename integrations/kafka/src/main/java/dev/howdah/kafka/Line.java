package dev.howdah.kafka;

import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/** Sends notices in rounds: in each the next one of every process, so that none leaves before the one before it is safe. Safe for use by many threads. */
final class Line {
    private static final String NUMBER = "howdah-notice";

    private final @Nullable Supplier<Producer<byte[], byte[]>> maker;
    private @Nullable Producer<byte[], byte[]> producer;
    private boolean closed;

    /** With producers of its own: one after the other, if one cannot go on. */
    Line(Supplier<Producer<byte[], byte[]>> maker) {
        this.maker = maker;
        this.producer = maker.get();
    }

    /** With a producer of the caller's. */
    Line(Producer<byte[], byte[]> producer) {
        this.maker = null;
        this.producer = producer;
    }

    /** @param topics where a notice goes; null: nowhere */
    void send(List<Notice> notices, Function<Notice, @Nullable String> topics)
            throws DeliveryException, InterruptedException {
        Dispatch dispatch = new Dispatch(producer(), topics);
        try {
            dispatch.all(notices);
        } catch (InterruptException e) {
            throw interrupted(e);
        } finally {
            if (dispatch.isProducerBroken()) giveUp(dispatch.producer);
        }
    }

    private static InterruptedException interrupted(InterruptException e) {
        InterruptedException interrupted = new InterruptedException(e.getMessage());
        interrupted.initCause(e);
        return interrupted;
    }

    private synchronized Producer<byte[], byte[]> producer() {
        if (closed) throw new IllegalStateException("the publisher is closed");
        Producer<byte[], byte[]> now = producer;
        if (now != null) return now;
        if (maker == null) throw new IllegalStateException("there is no producer");
        Producer<byte[], byte[]> made = maker.get();
        producer = made;
        return made;
    }

    /** It says that it will never send again. */
    private synchronized void giveUp(Producer<byte[], byte[]> broken) {
        if (maker == null || producer != broken) return;
        producer = null;
        broken.close(Duration.ZERO);
    }

    synchronized void close(Duration patience) {
        closed = true;
        Producer<byte[], byte[]> last = producer;
        producer = null;
        if (maker != null && last != null) last.close(patience);
    }

    /** What becomes of the notices of one call. */
    private static final class Dispatch {
        private final Producer<byte[], byte[]> producer;
        private final Function<Notice, @Nullable String> topics;
        private final List<Notice> arrived = new ArrayList<>();
        private final Map<Notice, String> refused = new LinkedHashMap<>();
        private final Set<String> missing = new HashSet<>();
        private @Nullable Throwable failure;

        Dispatch(Producer<byte[], byte[]> producer, Function<Notice, @Nullable String> topics) {
            this.producer = producer;
            this.topics = topics;
        }

        void all(List<Notice> notices) throws DeliveryException, InterruptedException {
            Map<String, Deque<Notice>> waiting = new LinkedHashMap<>();
            for (Notice each : notices)
                waiting.computeIfAbsent(key(each), key -> new ArrayDeque<>()).add(each);
            while (!waiting.isEmpty()) {
                Set<String> stopped = round(waiting);
                waiting.keySet().removeAll(stopped);
                waiting.values().removeIf(Deque::isEmpty);
            }
            if (failure == null && refused.isEmpty()) return;
            Throwable why = failure == null ? null : failure;
            DeliveryException said = new DeliveryException(
                    why == null ? refused.size() + " are too large" : String.valueOf(why.getMessage()), why);
            refused.forEach(said::refused);
            throw said.arrived(arrived);
        }

        /** Sends the next one of each process; says which ones cannot go on. */
        private Set<String> round(Map<String, Deque<Notice>> waiting) throws InterruptedException {
            Map<Notice, Future<RecordMetadata>> sent = new LinkedHashMap<>();
            Set<String> stopped = new HashSet<>();
            for (Map.Entry<String, Deque<Notice>> each : waiting.entrySet()) {
                Notice notice = each.getValue().remove();
                String topic = topics.apply(notice);
                if (topic == null) arrived.add(notice);
                else if (missing.contains(topic)) stopped.add(each.getKey());
                else {
                    Future<RecordMetadata> future = send(topic, each.getKey(), notice);
                    if (future == null) stopped.add(each.getKey());
                    else sent.put(notice, future);
                }
            }
            producer.flush();
            for (Map.Entry<Notice, Future<RecordMetadata>> each : sent.entrySet()) {
                try {
                    each.getValue().get();
                    arrived.add(each.getKey());
                } catch (ExecutionException e) {
                    stopped.add(key(each.getKey()));
                    failed(each.getKey(), e.getCause() == null ? e : e.getCause());
                }
            }
            return stopped;
        }

        /** Null: it was not even sent. */
        private @Nullable Future<RecordMetadata> send(String topic, String key, Notice notice)
                throws InterruptedException {
            ProducerRecord<byte[], byte[]> message =
                    new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), MachinegunFormat.value(notice));
            message.headers().add(NUMBER, Long.toString(notice.id()).getBytes(StandardCharsets.US_ASCII));
            Future<RecordMetadata> sent;
            try {
                sent = producer.send(message);
            } catch (InterruptException e) {
                throw e;
            } catch (KafkaException | IllegalStateException e) {
                failed(notice, e);
                return null;
            }
            if (!sent.isDone()) return sent;
            try {
                sent.get();
                return sent;
            } catch (ExecutionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                // The producer has waited for the topic: it need not do so for each message.
                if (cause instanceof TimeoutException) missing.add(topic);
                failed(notice, cause);
                return null;
            }
        }

        private void failed(Notice notice, Throwable why) {
            if (why instanceof RecordTooLargeException) refused.put(notice, String.valueOf(why.getMessage()));
            else if (failure == null) failure = why;
        }

        private static String key(Notice notice) {
            return notice.namespace() + " " + notice.process();
        }

        /** Whether it has said that nothing will ever leave it again. */
        boolean isProducerBroken() {
            Throwable why = failure;
            return why instanceof AuthorizationException
                    || why instanceof ProducerFencedException
                    || why instanceof UnsupportedVersionException
                    || why instanceof IllegalStateException
                    || why != null && why.getClass() == KafkaException.class;
        }
    }
}
