package dev.howdah.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class whose tests get a database of their own each, with the tables of jobs, processes and sweeps.
 *
 * <pre>{@code
 * @HowdahTest(prepare = ShopTables.class)
 * class RegistrationTest {
 *     @Test
 *     void register_newCustomer_isWelcomed(DataSource database, TestJobs jobs) {
 *         new Registration(database, jobs.jobs()).register("ann@example.com");
 *         jobs.assertAdded("welcome", new Welcome("ann@example.com"));
 *     }
 * }
 * }</pre>
 *
 * <p>Parameters of tests, of the constructor and of {@code @BeforeEach} and {@code @AfterEach} methods can be: {@link DataSource}, {@link
 * dev.howdah.Database}, {@link dev.howdah.job.Jobs} that add, {@link dev.howdah.testkit.TestJobs}, {@link
 * dev.howdah.testkit.TestProcesses}, {@link dev.howdah.testkit.TestTasks}. All parameters of one test are of one database, and the same
 * objects; they are closed and the database is dropped after the test. A parameter of {@code @BeforeAll} is of a database of the class.
 * Tests may run in parallel.
 *
 * <p>The server is started for the JVM, is not durable, and ends with it. With the configuration parameter {@code howdah.test.url} of JUnit
 * (in {@code junit-platform.properties}, or a system property) or the environment variable {@code HOWDAH_TEST_URL} it is yours: the address of
 * a database from which the role may create others.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(HowdahExtension.class)
public @interface HowdahTest {
    /** Makes your tables and rows. Its databases are copies of one that it was called for once. */
    Class<? extends Preparation> prepare() default NoPreparation.class;

    /**
     * Whether Howdah's tables are there before {@link #prepare} is called. No where your migrations make them: what they have not made is made after them. Defaults to yes.
     */
    boolean tablesFirst() default true;

    /** Makes what is in the database at the beginning of each test. Has a constructor without parameters. */
    @FunctionalInterface
    interface Preparation {
        /** Called once for all tests of the JVM that name it. All connections have to be closed when it returns. */
        void prepare(DataSource template) throws SQLException;
    }

    /** Leaves the database as Howdah makes it. */
    final class NoPreparation implements Preparation {
        /** For JUnit. */
        public NoPreparation() {}

        @Override
        public void prepare(DataSource template) {}
    }
}
