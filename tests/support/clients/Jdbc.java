import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Properties;

/** What a tool in Java does with a database: looks around, prepares, fetches in pieces, cancels. Prints what it saw. */
public class Jdbc {
    public static void main(String[] arguments) throws Exception {
        Properties who = new Properties();
        who.setProperty("user", arguments[1]);
        who.setProperty("password", arguments[2]);
        who.setProperty("sslmode", "disable");
        who.setProperty("options", "-c deniable.epsilon=0.25");
        who.setProperty("prepareThreshold", "2");
        try (Connection connection = DriverManager.getConnection(arguments[0], who)) {
            lookAround(connection.getMetaData());
            prepare(connection);
            fetchInPieces(connection);
            beRefused(connection);
            cancel(connection);
        }
    }

    private static void lookAround(DatabaseMetaData seen) throws SQLException {
        print("product", seen.getDatabaseProductName());
        try (ResultSet tables = seen.getTables(null, "public", "%", new String[] {"TABLE"})) {
            while (tables.next()) {
                print("table", tables.getString("TABLE_NAME"));
            }
        }
        try (ResultSet columns = seen.getColumns(null, "public", "visits", "%")) {
            while (columns.next()) {
                print("column", columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME"));
            }
        }
        try (ResultSet keys = seen.getPrimaryKeys(null, "public", "visits")) {
            print("keys", keys.next() ? "some" : "none");
        }
        try (ResultSet indexes = seen.getIndexInfo(null, "public", "visits", false, false)) {
            print("indexes", indexes.next() ? "some" : "none");
        }
        try (ResultSet schemas = seen.getSchemas()) {
            while (schemas.next()) {
                print("schema", schemas.getString(1));
            }
        }
        try (ResultSet types = seen.getTypeInfo()) {
            print("types", types.next() ? "some" : "none");
        }
        try (ResultSet functions = seen.getFunctions(null, null, "%")) {
            print("functions", functions.next() ? "some" : "none");
        }
    }

    private static void prepare(Connection connection) throws SQLException {
        String sql = "SELECT region, COUNT(*) AS n, AVG(cost) AS cost FROM visits WHERE age > ? AND day >= ? GROUP BY region";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            print("kind", statement.getMetaData().getColumnTypeName(2));
            for (int turn = 0; turn < 4; turn++) { // the driver goes over to binary after the second
                statement.setInt(1, 30);
                statement.setDate(2, Date.valueOf("2025-02-01"));
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    print("answer", rows.getString("region") + " " + (rows.getLong("n") == (long) rows.getInt(2)));
                    rows.getDouble("cost");
                }
                SQLWarning said = statement.getWarnings();
                print("notice", said == null ? "none" : said.getMessage());
            }
        }
    }

    private static void fetchInPieces(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(20);
            int count = 0;
            try (ResultSet rows = statement.executeQuery("SELECT age, COUNT(*) AS n FROM visits GROUP BY age")) {
                while (rows.next()) {
                    count++;
                }
            }
            print("rows", String.valueOf(count));
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static void beRefused(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT * FROM visits");
        } catch (SQLException error) {
            print("refused", error.getSQLState());
        }
    }

    private static void cancel(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread other = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    statement.cancel();
                } catch (Exception error) {
                    print("cancel", error.getMessage());
                }
            });
            other.start();
            statement.executeQuery("SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 10000000) b");
        } catch (SQLException error) {
            print("cancelled", error.getSQLState());
        }
        try (Statement statement = connection.createStatement();
             ResultSet rows = statement.executeQuery("SELECT 1")) {
            rows.next();
            print("after", String.valueOf(rows.getInt(1)));
        }
    }

    private static void print(String what, String found) {
        System.out.println(what + ": " + found);
    }
}
