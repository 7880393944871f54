package dev.howdah.internal.json;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** An application that is started anew in a program that goes on: its classes go with the codec that has seen them. */
class CodecClassLoaderTest {
    public static final class Order {
        public int id = 7;
    }

    /** Has that class, and no other, itself. */
    private static final class Application extends ClassLoader {
        Application() {
            super(CodecClassLoaderTest.class.getClassLoader());
        }

        Object order() throws IOException, ReflectiveOperationException {
            String file = Order.class.getName().replace('.', '/') + ".class";
            try (InputStream in = Objects.requireNonNull(getResourceAsStream(file))) {
                byte[] bytes = in.readAllBytes();
                return defineClass(Order.class.getName(), bytes, 0, bytes.length)
                        .getConstructor()
                        .newInstance();
            }
        }
    }

    private static WeakReference<ClassLoader> used() throws IOException, ReflectiveOperationException {
        Object order = new Application().order();
        JacksonCodec codec = new JacksonCodec();
        codec.decode(codec.encode(order), order.getClass());
        return new WeakReference<>(order.getClass().getClassLoader());
    }

    @Test
    void classLoader_ofAnApplicationThatIsOver_isCollected() throws Exception {
        WeakReference<ClassLoader> loader = used();
        await("the class loader is collected").atMost(Patience.LIMIT).until(() -> {
            System.gc();
            return loader.get() == null;
        });
    }
}
